/// Statistics.
extension PeerMedia {
    func report(_ session: RtpSessionStatistics, _ statistics: PeerStatistics, timestamp: Double) -> StatisticsReport {
        var sent: [UInt32: StatisticsReport.Stream] = [:]
        var received: [UInt32: StatisticsReport.Stream] = [:]
        for (id, track) in sending {
            var stream = StatisticsReport.Stream(track: id, codec: track.codec, payloadType: track.payloadType)
            if let ssrc = receiving[id]?.ssrc { received[ssrc] = stream }
            stream.reception = peer.receptionReports[track.ssrc]
            sent[track.ssrc] = stream
            stream.reception = nil
            for (encoding, ssrc) in zip(track.statistics.encodings, track.ssrcs.dropFirst()) {
                stream.encoding = encoding
                sent[ssrc] = stream
            }
        }
        return StatisticsReport(
            session, timestamp: timestamp, sent: sent, received: received, statistics)
    }

    func statistics(_ session: RtpSessionStatistics) -> PeerStatistics {
        let received = receiving.mapValues { track in
            var statistics = track.statistics
            guard let ssrc = track.ssrc else { return statistics }
            let waited = peer.jitterBuffers.total(of: ssrc)
            (statistics.jitterBufferPackets, statistics.jitterBufferSeconds) = (waited.packets, waited.seconds)
            (statistics.packetsLost, statistics.packetsDiscarded) = (waited.lost, waited.late)
            statistics.packetsRepaired = waited.repaired
            return statistics
        }
        var transport = PeerStatistics.Transport()
        (transport.bytesSent, transport.bytesReceived) = (session.bytesSent, session.bytesReceived)
        transport.roundTripMs = session.roundTrip.map { $0 * 1_000 }
        transport.availableOutgoingBitrate = bandwidth.available
        transport.availableIncomingBitrate = estimateSender.bitrate
        if let selected = ice.selectedPair {
            (transport.selectedPair, transport.selectedPairSince) = (selected.pair, selected.since)
            transport.selectedPairChanges = selected.changes
        }
        transport.packetsLost = received.values.map(\.packetsLost).reduce(0, +)
        var sent = sending.mapValues(\.statistics)
        sent[.video]?.packetsRetransmitted = peer.retransmitted.count
        return PeerStatistics(sent: sent, received: received, transport: transport)
    }
}
