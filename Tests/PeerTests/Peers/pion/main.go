// A peer for WHIP (RFC 9725) and WHEP, made with Pion. Prints one JSON object per line.
//
//	peer serve                             a media server (server.go)
//	peer publish URL VIDEO.ivf AUDIO.ogg   a client that sends these files, again and again (client.go)
//	peer play URL VIDEO.ivf AUDIO.ogg      a client that writes what it receives to these files
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/pion/ice/v2"
	"github.com/pion/interceptor"
	"github.com/pion/webrtc"
)

var printing sync.Mutex

func tell(event string, fields map[string]any) {
	fields["event"] = event
	line, _ := json.Marshal(fields)
	printing.Lock()
	defer printing.Unlock()
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A connection that uses only this machine, with the codecs and the RTCP that Pion has by default.
func newConnection() (*webrtc.PeerConnection, error) {
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	settings.SetIPFilter(func(address net.IP) bool { return address.IsLoopback() && address.To4() != nil })
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	codecs, interceptors := &webrtc.MediaEngine{}, &interceptor.Registry{}
	check(codecs.RegisterDefaultCodecs())
	check(webrtc.RegisterDefaultInterceptors(codecs, interceptors))
	api := webrtc.NewAPI(
		webrtc.WithMediaEngine(codecs), webrtc.WithInterceptorRegistry(interceptors), webrtc.WithSettingEngine(settings))
	return api.NewPeerConnection(webrtc.Configuration{})
}

func main() {
	switch arguments := os.Args[1:]; {
	case len(arguments) == 1 && arguments[0] == "serve":
		serve()
	case len(arguments) == 4 && (arguments[0] == "publish" || arguments[0] == "play"):
		beClient(arguments[0], arguments[1], arguments[2], arguments[3])
	default:
		fmt.Fprintln(os.Stderr, "usage: peer serve, or peer publish|play URL VIDEO.ivf AUDIO.ogg")
		os.Exit(2)
	}
}
