package web

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/stages/engine"
)

// Limits of a token request. What passes them ends up in the job's metadata.
const (
	maxBody     = 16 << 10 // bytes
	maxName     = 80       // runes
	maxVarValue = 1000     // runes
	maxLocale   = 35       // bytes; RFC 5646 §4.4.1 recommends room for this much
)

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`) // the outer form of RFC 5646 tags

// tokenRequest is the body of POST /api/token. All fields may be left out.
type tokenRequest struct {
	Interview string            `json:"interview"`
	Name      string            `json:"name"`
	Locale    string            `json:"locale"`
	Vars      map[string]string `json:"vars"`
	Consent   agent.Consent     `json:"consent"` // who asked is said here, and by nobody else
}

// tokenResponse is what the page needs to join.
type tokenResponse struct {
	URL      string `json:"url"`
	Token    string `json:"token"`
	Room     string `json:"room"`
	Identity string `json:"identity"`
}

func (h *Handler) issueToken(w http.ResponseWriter, r *http.Request) {
	if wait := h.limiter.take(h.clients.addr(r), time.Now()); wait > 0 {
		writeTooMany(w, "Too many interviews were started.", wait)
		return
	}
	req, no := readTokenRequest(w, r)
	if no == nil {
		no = h.check(&req)
	}
	if no != nil {
		writeError(w, no.status, no.sentence)
		return
	}
	resp, err := h.mint(req)
	if err != nil {
		h.opts.Logger.Error("web.token_failed", zap.Error(err))
		writeError(w, http.StatusInternalServerError, "The token could not be made. The server's log says why.")
		return
	}
	h.opts.Logger.Info("web.token_issued", zap.String("room", resp.Room), zap.String("identity", resp.Identity),
		zap.String("interview", req.Interview))
	writeJSON(w, http.StatusOK, resp)
}

// refusal is the answer to a request that cannot be granted: a status and what the page tells the person.
type refusal struct {
	status   int
	sentence string
}

func refuse(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func readTokenRequest(w http.ResponseWriter, r *http.Request) (tokenRequest, *refusal) {
	var req tokenRequest
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return req, &refusal{http.StatusUnsupportedMediaType, "The request must be application/json."}
	}
	err := readJSON(w, r, &req)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return req, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("The request is larger than %d bytes.", maxBody)}
	case err != nil:
		return req, refuse("The request is not as expected: %v.", err)
	}
	return req, nil
}

// readJSON reads a body that is one JSON value.
func readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	switch _, err := decoder.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	default:
		return errors.New("something follows the JSON object")
	}
}

// check fills in defaults and says what a person has to change.
func (h *Handler) check(req *tokenRequest) *refusal {
	req.Name = strings.TrimSpace(req.Name)
	if req.Interview == "" {
		req.Interview = h.opts.DefaultInterview
	}
	interview, there := h.byID[req.Interview]
	switch {
	case utf8.RuneCountInString(req.Name) > maxName:
		return refuse("The name is longer than %d characters.", maxName)
	case strings.ContainsFunc(req.Name, unicode.IsControl):
		return refuse("The name contains control characters.")
	case !there:
		return refuse("There is no such interview.")
	case req.Locale != "" && !isLocale(req.Locale):
		return refuse("The locale is not a language tag such as en or pt-BR.")
	case !speaks(interview.Locales, req.Locale):
		return refuse("This interview is held in other languages: %s.", strings.Join(interview.Locales, ", "))
	case req.Consent.Recording && !interview.Recorded:
		return refuse("This interview is not recorded, so that there is nothing to agree to.")
	}
	return allows(interview.Vars, req.Vars)
}

// allows refuses vars that an interview does not leave to the page, and values that are not among the choices: the rest is
// for those who dispatch, whatever a request says.
func allows(all []agent.KindVar, vars map[string]string) *refusal {
	for _, key := range slices.Sorted(maps.Keys(vars)) {
		at := slices.IndexFunc(all, func(v agent.KindVar) bool { return v.Name == key })
		if at < 0 {
			return refuse("This interview leaves no choice of %.64s to candidates.", key)
		}
		if utf8.RuneCountInString(vars[key]) > maxVarValue {
			return refuse("The value of var %s is longer than %d characters.", key, maxVarValue)
		}
		chosen := func(c agent.Choice) bool { return c.Value == vars[key] }
		if choices := all[at].Choices; len(choices) > 0 && vars[key] != "" && !slices.ContainsFunc(choices, chosen) {
			return refuse("There is no such choice of %s.", key)
		}
	}
	return nil
}

func isLocale(text string) bool { return len(text) <= maxLocale && localePattern.MatchString(text) }

// mint opens a room for one candidate: the server creates it at the join and dispatches the interviewer then. It would do so
// again whenever the room was closed and somebody comes back with the token: the ticket tells the worker that it is for once.
func (h *Handler) mint(req tokenRequest) (tokenResponse, error) {
	meta := agent.Metadata{
		Interview: req.Interview, Candidate: agent.Person{Name: req.Name}, Locale: req.Locale, Vars: req.Vars,
		Ticket: &agent.Ticket{Until: time.Now().Add(startWithin).Round(time.Second)},
	}
	if req.Consent.Recording {
		meta.Consent = &agent.Consent{Recording: true, By: engine.ConsentPage}
	}
	// Signs of HTML stay as they are: escaped they are six bytes each, and a worker takes only so many.
	var metadata bytes.Buffer
	enc := json.NewEncoder(&metadata)
	enc.SetEscapeHTML(false)
	err := enc.Encode(meta)
	if err != nil {
		return tokenResponse{}, fmt.Errorf("write job metadata: %w", err)
	}
	resp := tokenResponse{
		URL:      h.opts.LiveKitURL,
		Room:     "interview-" + strings.ToLower(rand.Text()),
		Identity: "candidate-" + strings.ToLower(rand.Text()),
	}
	resp.Token, err = auth.NewAccessToken(h.opts.APIKey, h.opts.APISecret).
		SetIdentity(resp.Identity).
		SetName(req.Name).
		SetKind(livekit.ParticipantInfo_STANDARD).
		SetValidFor(tokenTTL).
		SetVideoGrant(candidateGrant(resp.Room)).
		SetRoomConfig(&livekit.RoomConfiguration{Agents: []*livekit.RoomAgentDispatch{{
			AgentName: h.opts.AgentName,
			Metadata:  strings.TrimSpace(metadata.String()),
		}}}).
		ToJWT()
	if err != nil {
		return tokenResponse{}, fmt.Errorf("sign token: %w", err)
	}
	return resp, nil
}

// candidateGrant allows hearing, a microphone, and text; nothing else.
func candidateGrant(room string) *auth.VideoGrant {
	grant := &auth.VideoGrant{RoomJoin: true, Room: room}
	grant.SetCanSubscribe(true)
	grant.SetCanPublish(true)
	grant.SetCanPublishData(true)
	grant.SetCanUpdateOwnMetadata(false)
	grant.SetCanPublishSources([]livekit.TrackSource{livekit.TrackSource_MICROPHONE})
	return grant
}
