// The client of a media server. Its offer has no candidates: they follow by PATCH. A line on the standard input ends the session, or asks for
// another network path if it is "restart".
// Its events: created (the response to the offer), trickled (that to each candidate), restarted, received every 200 ms, deleted, deletedAgain,
// ended.
package main

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/pion/webrtc"
)

type client struct {
	connection *webrtc.PeerConnection
	// Those that have been found; the last one is nil.
	candidates    chan *webrtc.ICECandidate
	offer, answer string
	session, tag  string
}

func beClient(role, address, video, audio string) {
	connection, err := newConnection()
	check(err)
	known := client{connection: connection, candidates: make(chan *webrtc.ICECandidate, 64)}
	connection.OnICECandidate(func(candidate *webrtc.ICECandidate) { known.candidates <- candidate })
	var recording *recording
	if role == "publish" {
		// Tracks are offered in both directions, as browsers do.
		recording = record(connection, os.DevNull, os.DevNull)
		publishFiles(connection, video, audio)
	} else {
		recording = record(connection, video, audio)
		direction := webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}
		for _, kind := range []webrtc.RTPCodecType{webrtc.RTPCodecTypeAudio, webrtc.RTPCodecTypeVideo} {
			_, err := connection.AddTransceiverFromKind(kind, direction)
			check(err)
		}
	}
	if !known.open(address) {
		return
	}
	go recording.report()
	for commands := bufio.NewScanner(os.Stdin); commands.Scan() && commands.Text() == "restart"; {
		known.restart()
	}
	for _, event := range []string{"deleted", "deletedAgain"} {
		response, _ := request(http.MethodDelete, known.session, "", http.Header{})
		tell(event, map[string]any{"status": response.StatusCode})
	}
	check(connection.Close())
	tell("ended", recording.end())
}

// Sends the offer, and takes the answer.
func (known *client) open(address string) bool {
	known.createOffer(nil)
	response, text := request(http.MethodPost, address, known.offer, http.Header{"Content-Type": {"application/sdp"}})
	tell("created", map[string]any{"status": response.StatusCode, "text": text})
	if response.StatusCode != http.StatusCreated {
		return false
	}
	base, err := url.Parse(address)
	check(err)
	session, err := base.Parse(response.Header.Get("Location"))
	check(err)
	known.session = session.String()
	known.take(response, text)
	return true
}

// Asks for another network path (RFC 9725 section 4.3.3).
func (known *client) restart() {
	known.createOffer(&webrtc.OfferOptions{ICERestart: true})
	response, text := known.change("*", "")
	tell("restarted", map[string]any{"status": response.StatusCode, "text": text})
	if response.StatusCode == http.StatusOK {
		known.take(response, onPath(known.answer, text))
	}
}

func (known *client) createOffer(options *webrtc.OfferOptions) {
	offer, err := known.connection.CreateOffer(options)
	check(err)
	known.offer = offer.SDP
}

// Takes the answer, and sends the candidates.
func (known *client) take(response *http.Response, answer string) {
	known.answer, known.tag = answer, response.Header.Get("ETag")
	// Only from here on a new connection gathers candidates.
	check(known.connection.SetLocalDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: known.offer}))
	check(known.connection.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}))
	for {
		candidate, line := <-known.candidates, "a=end-of-candidates"
		if candidate != nil {
			line = "a=" + candidate.ToJSON().Candidate
		}
		response, _ := known.change(known.tag, line+"\r\n")
		tell("trickled", map[string]any{"status": response.StatusCode, "line": line})
		if candidate == nil {
			return
		}
	}
}

// Sends the credentials and these lines for the first track, whose transport all share (RFC 8840 section 9).
func (known *client) change(tag, lines string) (*http.Response, string) {
	body := strings.Join(credentials.FindAllString(known.offer, 2), "\r\n") + "\r\n"
	body += "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n" + lines
	header := http.Header{"Content-Type": {"application/trickle-ice-sdpfrag"}, "If-Match": {tag}}
	return request(http.MethodPatch, known.session, body, header)
}

func request(method, address, body string, header http.Header) (*http.Response, string) {
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	check(err)
	request.Header = header
	response, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err)
	return response, string(text)
}
