// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestObserveRecordsTheRunOfACommand(t *testing.T) {
	g := NewWithT(t)
	log := filepath.Join(t.TempDir(), "log")
	var last string
	r, err := Observe(t.Context(), exec.CommandContext(t.Context(), "echo", " • 2 specs, one at a time ...\n ✓ 2 specs, one at a time (1s)\nverdict: passed"), log,
		func(_ string, args ...any) { last = args[0].(string) })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Timeline.Tasks).To(HaveLen(1))
	g.Expect(r.Timeline.Verdict).To(Equal("verdict: passed"))
	g.Expect(last).To(Equal("verdict: passed"))
	g.Expect(r.UntilSpecs()).To(BeNumerically("~", 0, time.Minute))
	g.Expect(r.UntilVerdict()).To(BeNumerically(">=", r.UntilSpecs()))
	g.Expect(r.Samples).NotTo(BeEmpty())
	content, err := os.ReadFile(log)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(MatchRegexp(`(?m)^ +\d+\.\d verdict: passed$`))
}

func TestObserveFailsWithTheCommandAndWithoutSpecsOrAVerdict(t *testing.T) {
	for script, want := range map[string]string{
		"exit 3": "exit status 3, see ",
		"echo ' • 2 specs, one at a time'; echo ' ✓ 2 specs, one at a time'": "it ran no spec or printed no verdict, see ",
		"echo verdict: passed": "it ran no spec or printed no verdict, see ",
	} {
		_, err := Observe(t.Context(), exec.CommandContext(t.Context(), "sh", "-c", script), filepath.Join(t.TempDir(), "log"), func(string, ...any) {})
		NewWithT(t).Expect(err).To(MatchError(HavePrefix(want)), script)
	}
}
