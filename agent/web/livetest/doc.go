// Package livetest has no code of its own: its tests put the candidate's page into a real room, with a real server and a
// stand-in for the interviewer. They are apart from package web because they link a LiveKit server.
package livetest
