// Files as the media that are sent.
package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/pion/webrtc"
	"github.com/pion/webrtc/pkg/media"
	"github.com/pion/webrtc/pkg/media/ivfreader"
	"github.com/pion/webrtc/pkg/media/oggreader"
)

// Sends VP8 at 30 frames per second, and Opus in packets of 20 ms, each in its own page of the file.
func publishFiles(connection *webrtc.PeerConnection, video, audio string) {
	sounds := addTrack(connection, webrtc.MimeTypeOpus, "audio")
	pictures := addTrack(connection, webrtc.MimeTypeVP8, "video")
	// It is connected again on each other network path.
	begin := sync.Once{}
	connection.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		if state == webrtc.PeerConnectionStateConnected {
			begin.Do(func() {
				go send(pictures, frames(video), time.Second/30)
				go send(sounds, packets(audio), 20*time.Millisecond)
			})
		}
	})
}

func addTrack(connection *webrtc.PeerConnection, codec, name string) *webrtc.TrackLocalStaticSample {
	track, err := webrtc.NewTrackLocalStaticSample(webrtc.RTPCodecCapability{MimeType: codec}, name, "files")
	check(err)
	sender, err := connection.AddTrack(track)
	check(err)
	go func() {
		// Pion answers RTCP while it is read.
		for buffer := make([]byte, 1500); err == nil; {
			_, _, err = sender.Read(buffer)
		}
	}()
	return track
}

// Sends these one after the other, again and again, until the connection is closed.
func send(track *webrtc.TrackLocalStaticSample, samples [][]byte, step time.Duration) {
	clock := time.NewTicker(step)
	defer clock.Stop()
	for number := 0; ; number++ {
		sample := media.Sample{Data: samples[number%len(samples)], Duration: step}
		if track.WriteSample(sample) != nil {
			return
		}
		<-clock.C
	}
}

func frames(path string) [][]byte {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	reader, _, err := ivfreader.NewWith(file)
	check(err)
	return all(func() ([]byte, error) {
		frame, _, err := reader.ParseNextFrame()
		return frame, err
	})
}

func packets(path string) [][]byte {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	reader, _, err := oggreader.NewWith(file)
	check(err)
	// The second page has the tags.
	return all(func() ([]byte, error) {
		packet, _, err := reader.ParseNextPage()
		return packet, err
	})[1:]
}

func all(next func() ([]byte, error)) [][]byte {
	var found [][]byte
	for {
		one, err := next()
		if err == io.EOF {
			return found
		}
		check(err)
		found = append(found, one)
	}
}
