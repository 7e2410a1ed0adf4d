public enum BuiltInPipelines { public static let test = PackageResources.test_video_source_launch }
