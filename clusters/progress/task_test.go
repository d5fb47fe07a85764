// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
)

func TestTaskWritesALineAtItsStartAndEnd(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*Task)
		want string
	}{
		"without a result": {func(t *Task) { t.Done("") }, ` ✓ load c.tar \(0s\)`},
		"with a result":    {func(t *Task) { t.Done("two images") }, ` ✓ load c.tar: two images \(0s\)`},
		"failed":           {func(t *Task) { _ = t.Fail(errors.New("no space")) }, ` ✗ load c.tar: failed \(0s\)`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.end(New(&out).Task("load %s", "c.tar"))
			NewWithT(t).Expect(out.String()).To(MatchRegexp(`^ • load c.tar ...\n` + test.want + `\n$`))
		})
	}
}

func TestFailReturnsTheError(t *testing.T) {
	var silent *Reporter
	err := errors.New("no space")
	NewWithT(t).Expect(silent.Task("load").Fail(err)).To(BeIdenticalTo(err))
}

func TestFinishedTaskWritesNothing(t *testing.T) {
	for name, tty := range map[string]bool{"a terminal": true, "a file": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				var out shared
				r := &Reporter{out: &out, tty: tty}
				task := r.Task("build")
				task.Done("")
				<-time.After(time.Minute)
				out.Reset()
				task.Update("late")
				task.Done("again")
				g.Expect(out.String()).To(BeEmpty())
			})
		})
	}
}

func TestRound(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Millisecond:                "1.2s",
		49 * time.Millisecond:                  "0s",
		59940 * time.Millisecond:               "59.9s",
		59960 * time.Millisecond:               "1m0s",
		time.Minute + 400*time.Millisecond:     "1m0s",
		12*time.Minute + 1500*time.Millisecond: "12m2s",
	} {
		NewWithT(t).Expect(Round(d).String()).To(Equal(want), d.String())
	}
}
