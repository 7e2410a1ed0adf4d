/// What other call products got wrong, and what their users complained about, with the place of the test that shows that this one does not.
///
/// D is for defects of a product in the field as its source shows them, C for odd cases of its behaviour, U for complaints of users.
/// Those that the rules or the signaling decide have a test of that name in ``KnownDefectTests``, ``KnownCaseTests`` or
/// ``ComplaintTests``; the others:
///
/// | | what | tested in |
/// |---|---|---|
/// | D6, C16 | preparing during a call kills it | `Shell/KnownShellTests` |
/// | C15 | operations from within a callback | `Shell/KnownShellTests` |
/// | C18, U18 | tokens that expire | `Shell/KnownShellTests`, `SignalingTests/Server/ServerTokenTests`, `SignalingTests/Client/ClientTokenTests` |
/// | C20 | a policy shared by all instances | `Shell/KnownShellTests` |
/// | U1, U2, U3, U4 | slow or black first pictures, slow first call | `MediaEngineTests/Media`, `MediaEngineTests/Peer/ReceiveGateTests`, the benchmark |
/// | U6 | first words lost | `MediaEngineTests/Peer/SendGateTests` |
/// | U10 | a vanished peer noticed too late: how soon media notices | `MediaEngineTests/Peer/SilenceTests`, `EndToEndTests/VanishingPeerTests` |
enum KnownDefects {}
