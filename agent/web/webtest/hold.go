package webtest

import (
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"
)

// Point is a place in the window, in CSS pixels.
type Point struct{ X, Y float64 }

// Centre is the middle of the element with this id.
func (b *Browser) Centre(id string) Point {
	b.t.Helper()
	return Eval[Point](b, fmt.Sprintf(`(({left, top, width, height}) => ({X: left + width / 2, Y: top + height / 2}))
		(document.getElementById(%q).getBoundingClientRect())`, id))
}

// MouseDown presses the left button of the mouse.
func (b *Browser) MouseDown(at Point) { b.mouse(input.DispatchMouseEventTypeMousePressed, at) }

// MouseUp lets go of it, somewhere else maybe.
func (b *Browser) MouseUp(at Point) {
	b.mouse(input.DispatchMouseEventTypeMouseMoved, at)
	b.mouse(input.DispatchMouseEventTypeMouseReleased, at)
}

func (b *Browser) mouse(what input.DispatchMouseEventType, at Point) {
	b.t.Helper()
	call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: what, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, ClickCount: 1})
}

// TouchDown puts a finger on the screen.
func (b *Browser) TouchDown(at Point) {
	b.t.Helper()
	call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: at.X, Y: at.Y}},
	})
}

// TouchUp lifts it.
func (b *Browser) TouchUp() {
	b.t.Helper()
	call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{},
	})
}

// SpaceDown holds the space bar down.
func (b *Browser) SpaceDown() { b.space(input.DispatchKeyEventTypeKeyDown, " ") }

// SpaceUp lets go of it.
func (b *Browser) SpaceUp() { b.space(input.DispatchKeyEventTypeKeyUp, "") }

func (b *Browser) space(what input.DispatchKeyEventType, text string) {
	b.t.Helper()
	call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: what, Key: " ", Code: "Space", Text: text, WindowsVirtualKeyCode: 32})
}

// Pass lets so much of the page's time pass.
func (b *Browser) Pass(d time.Duration) {
	b.t.Helper()
	until := Eval[float64](b, "performance.now()") + float64(d.Milliseconds())
	b.Wait(fmt.Sprintf("performance.now() > %f", until), d+limit)
}
