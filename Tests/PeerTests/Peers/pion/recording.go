// What is received: written to files, and counted.
package main

import (
	"encoding/binary"
	"strings"
	"sync"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc"
	"github.com/pion/webrtc/pkg/media"
	"github.com/pion/webrtc/pkg/media/ivfwriter"
	"github.com/pion/webrtc/pkg/media/oggwriter"
)

type recording struct {
	lock    sync.Mutex
	tracks  sync.WaitGroup
	packets map[string]int
	// The size of the last key frame.
	width, height int
}

// Writes the received VP8 to an IVF file, the received Opus to an Ogg file.
func record(connection *webrtc.PeerConnection, video, audio string) *recording {
	made := &recording{packets: map[string]int{}}
	connection.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		made.tracks.Add(1)
		defer made.tracks.Done()
		var writer media.Writer
		var err error
		// The names of codecs have no case (RFC 4855 section 3).
		switch codec := track.Codec().MimeType; {
		case strings.EqualFold(codec, webrtc.MimeTypeVP8):
			writer, err = ivfwriter.New(video)
			// The first key frame may have been sent before the track was known.
			connection.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: uint32(track.SSRC())}})
		case strings.EqualFold(codec, webrtc.MimeTypeOpus):
			writer, err = oggwriter.New(audio, 48000, 2)
		default:
			panic("no file for " + codec)
		}
		check(err)
		for {
			packet, _, err := track.ReadRTP()
			if err != nil {
				check(writer.Close())
				return
			}
			made.count(track.Kind().String(), packet)
			check(writer.WriteRTP(packet))
		}
	})
	return made
}

func (made *recording) count(kind string, packet *rtp.Packet) {
	made.lock.Lock()
	defer made.lock.Unlock()
	made.packets[kind]++
	frame := codecs.VP8Packet{}
	if kind != "video" {
		return
	}
	if _, err := frame.Unmarshal(packet.Payload); err != nil || frame.S != 1 || frame.PID != 0 {
		return
	}
	// The header of a key frame (RFC 6386 section 9.1).
	if data := frame.Payload; len(data) >= 10 && data[0]&1 == 0 && data[3] == 0x9d && data[4] == 1 && data[5] == 0x2a {
		made.width = int(binary.LittleEndian.Uint16(data[6:]) & 0x3fff)
		made.height = int(binary.LittleEndian.Uint16(data[8:]) & 0x3fff)
	}
}

func (made *recording) figures() map[string]any {
	made.lock.Lock()
	defer made.lock.Unlock()
	return map[string]any{
		"video": made.packets["video"], "audio": made.packets["audio"], "width": made.width, "height": made.height}
}

func (made *recording) report() {
	for range time.Tick(200 * time.Millisecond) {
		tell("received", made.figures())
	}
}

// Waits until the files are written.
func (made *recording) end() map[string]any {
	made.tracks.Wait()
	return made.figures()
}
