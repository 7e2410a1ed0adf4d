/// Known defects of other call products and complaints of their users.
///
/// Each one has a test that shows that this product does not have it.
/// D: a defect of a product in the field, found in its source. C: an odd case of its behaviour. U: a complaint of users.
/// If the rules or the signaling decide the case, its test is in ``KnownDefectTests``, ``KnownCaseTests`` or ``ComplaintTests``,
/// under that number. The other tests:
///
/// | | what | tested in |
/// |---|---|---|
/// | D6, C16 | preparing during a call ends the call | `Shell/KnownShellTests` |
/// | C15 | operations from within a callback | `Shell/KnownShellTests` |
/// | C18, U18 | tokens that expire | `Shell/KnownShellTests`, `SignalingTests/Server/ServerTokenTests`, `SignalingTests/Client/ClientTokenTests` |
/// | C20 | a policy shared by all instances | `Shell/KnownShellTests` |
/// | U1, U2, U3, U4 | slow or black first frames, slow first call | `MediaEngineTests/Media`, `MediaEngineTests/Peer/ReceiveGateTests`, the benchmark |
/// | U6 | first words lost | `MediaEngineTests/Peer/SendGateTests` |
/// | U10 | a vanished peer noticed too late: how soon media notices | `MediaEngineTests/Peer/SilenceTests`, `EndToEndTests/VanishingPeerTests` |
enum KnownDefects {}
