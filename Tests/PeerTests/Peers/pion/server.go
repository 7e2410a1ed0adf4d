// The media server: POST /whip/ROOM takes media, POST /whep/ROOM sends it on as it is. PATCH takes candidates, and restarts ICE; in the room
// flaky the first restart fails.
// Its events: listening, each request, each restart, and at the end of each session the packets that were received.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/webrtc"
)

type room struct {
	publisher *webrtc.PeerConnection
	video     webrtc.SSRC
	tracks    map[string]*webrtc.TrackLocalStaticRTP
}

type session struct {
	connection *webrtc.PeerConnection
	offer      string
	tag        int
	// How many restarts fail.
	failures int
	packets  map[string]int
}

var (
	lock     sync.Mutex
	rooms    = map[string]*room{}
	sessions = map[string]*session{}
	made     = 0
)

// The answer to an offer, with all candidates.
func answer(connection *webrtc.PeerConnection) (string, error) {
	gathered := webrtc.GatheringCompletePromise(connection)
	description, err := connection.CreateAnswer(nil)
	if err == nil {
		err = connection.SetLocalDescription(description)
	}
	if err != nil {
		return "", err
	}
	<-gathered
	return connection.LocalDescription().SDP, nil
}

func begin(response http.ResponseWriter, fresh *session, prepare func() error) {
	offer := webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: fresh.offer}
	err := fresh.connection.SetRemoteDescription(offer)
	if err == nil {
		err = prepare()
	}
	sdp := ""
	if err == nil {
		sdp, err = answer(fresh.connection)
	}
	if err != nil {
		http.Error(response, err.Error(), http.StatusNotAcceptable)
		return
	}
	lock.Lock()
	made++
	name := fmt.Sprint(made)
	sessions[name] = fresh
	lock.Unlock()
	response.Header().Set("Content-Type", "application/sdp")
	response.Header().Set("Location", "/session/"+name)
	response.Header().Set("ETag", fmt.Sprintf(`"%d"`, fresh.tag))
	response.WriteHeader(http.StatusCreated)
	io.WriteString(response, sdp)
}

func publish(response http.ResponseWriter, made *session, name string) {
	hall := &room{publisher: made.connection, tracks: map[string]*webrtc.TrackLocalStaticRTP{}}
	made.connection.OnTrack(func(remote *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		kind := remote.Kind().String()
		local, err := webrtc.NewTrackLocalStaticRTP(remote.Codec().RTPCodecCapability, kind, name)
		if err != nil {
			return
		}
		lock.Lock()
		hall.tracks[kind] = local
		if kind == "video" {
			hall.video = remote.SSRC()
		}
		lock.Unlock()
		for {
			packet, _, err := remote.ReadRTP()
			if err != nil {
				return
			}
			lock.Lock()
			made.packets[kind]++
			lock.Unlock()
			local.WriteRTP(packet)
		}
	})
	begin(response, made, func() error {
		lock.Lock()
		rooms[name] = hall
		lock.Unlock()
		return nil
	})
}

func play(response http.ResponseWriter, made *session, name string) {
	lock.Lock()
	hall := rooms[name]
	lock.Unlock()
	if hall == nil {
		http.Error(response, "nobody publishes in this room", http.StatusNotFound)
		return
	}
	begin(response, made, func() error {
		for _, kind := range []string{"audio", "video"} {
			track := hall.track(kind)
			if track == nil || !strings.Contains(made.offer, "m="+kind) {
				continue
			}
			sender, err := made.connection.AddTrack(track)
			if err != nil {
				return err
			}
			go forwardKeyFrameRequests(sender, hall)
		}
		return nil
	})
}

// The track of that kind; the publisher's first packet may be under way.
func (hall *room) track(kind string) *webrtc.TrackLocalStaticRTP {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		lock.Lock()
		track := hall.tracks[kind]
		lock.Unlock()
		if track != nil || time.Now().After(deadline) {
			return track
		}
	}
}

func forwardKeyFrameRequests(sender *webrtc.RTPSender, hall *room) {
	for {
		packets, _, err := sender.ReadRTCP()
		if err != nil {
			return
		}
		for _, packet := range packets {
			if _, isRequest := packet.(*rtcp.PictureLossIndication); isRequest {
				hall.publisher.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: uint32(hall.video)}})
			}
		}
	}
}

var (
	credentials = regexp.MustCompile(`a=ice-(ufrag|pwd):(\S+)`)
	candidates  = regexp.MustCompile(`a=candidate:[^\r\n]+`)
)

func change(response http.ResponseWriter, request *http.Request, known *session, fragment string) {
	if request.Header.Get("If-Match") == "*" {
		restart(response, known, fragment)
		return
	}
	if request.Header.Get("If-Match") != fmt.Sprintf(`"%d"`, known.tag) {
		http.Error(response, "another version", http.StatusPreconditionFailed)
		return
	}
	for _, line := range candidates.FindAllString(fragment, -1) {
		index := uint16(0)
		candidate := webrtc.ICECandidateInit{Candidate: strings.TrimPrefix(line, "a="), SDPMLineIndex: &index}
		if err := known.connection.AddICECandidate(candidate); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
	}
	response.WriteHeader(http.StatusNoContent)
}

// The description with the credentials and candidates of a fragment instead of its own.
func onPath(description, fragment string) string {
	for _, found := range credentials.FindAllStringSubmatch(fragment, -1) {
		present := regexp.MustCompile(`a=ice-` + found[1] + `:\S+`)
		description = present.ReplaceAllLiteralString(description, found[0])
	}
	lines := strings.Join(candidates.FindAllString(fragment, -1), "\r\n")
	description = strings.Replace(candidates.ReplaceAllLiteralString(description, ""), "\r\n\r\n", "\r\n", -1)
	if lines != "" {
		mid := regexp.MustCompile(`a=mid:\S+\r\n`).FindString(description)
		description = strings.Replace(description, mid, mid+lines+"\r\n", 1)
	}
	return description
}

// Pion restarts ICE when an offer has other credentials.
func restart(response http.ResponseWriter, known *session, fragment string) {
	if known.failures > 0 {
		known.failures--
		http.Error(response, "not now", http.StatusServiceUnavailable)
		return
	}
	offer := onPath(known.offer, fragment)
	description := webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}
	err := known.connection.SetRemoteDescription(description)
	sdp := ""
	if err == nil {
		sdp, err = answer(known.connection)
	}
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	known.offer = offer
	known.tag++
	tell("iceRestart", map[string]any{"fragment": fragment})
	parts := append(credentials.FindAllString(sdp, 2), candidates.FindAllString(sdp, -1)...)
	response.Header().Set("Content-Type", "application/trickle-ice-sdpfrag")
	response.Header().Set("ETag", fmt.Sprintf(`"%d"`, known.tag))
	io.WriteString(response, strings.Join(parts, "\r\n")+"\r\n")
}

func end(response http.ResponseWriter, name string, known *session) {
	lock.Lock()
	delete(sessions, name)
	packets := map[string]any{"audio": known.packets["audio"], "video": known.packets["video"]}
	lock.Unlock()
	known.connection.Close()
	tell("ended", packets)
	response.WriteHeader(http.StatusOK)
}

func handle(response http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	tell("request", map[string]any{"method": request.Method, "path": request.URL.Path})
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	if len(parts) != 2 {
		http.NotFound(response, request)
		return
	}
	if request.Method == http.MethodOptions {
		response.WriteHeader(http.StatusNoContent)
		return
	}
	lock.Lock()
	known := sessions[parts[1]]
	lock.Unlock()
	switch {
	case request.Method == http.MethodPost && parts[0] != "session":
		connection, err := newConnection()
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		made := &session{connection: connection, offer: string(body), packets: map[string]int{}}
		if parts[1] == "flaky" {
			made.failures = 1
		}
		if parts[0] == "whip" {
			publish(response, made, parts[1])
		} else {
			play(response, made, parts[1])
		}
	case parts[0] != "session" || known == nil:
		http.NotFound(response, request)
	case request.Method == http.MethodPatch:
		change(response, request, known, string(body))
	case request.Method == http.MethodDelete:
		end(response, parts[1], known)
	default:
		response.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	tell("listening", map[string]any{"port": listener.Addr().(*net.TCPAddr).Port})
	check(http.Serve(listener, http.HandlerFunc(handle)))
}
