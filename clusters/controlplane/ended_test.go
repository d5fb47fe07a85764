// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// numbered returns lines with a text and their numbers from 1.
func numbered(text string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, text+" "+strings.Repeat("I", i+1))
	}
	return all
}

// The end of a log has the reason of an error. A panic is followed by more lines than
// anybody wants to read, and its reason is the first of them.
func TestTail(t *testing.T) {
	const first, fatal = "panic: assignment to entry in nil map", "fatal error: concurrent map writes"
	lines, stack := numbered("line", 20), numbered("frame", 40)
	for name, test := range map[string]struct{ log, want []string }{
		"a short log":           {log: lines[:3], want: lines[:3]},
		"a long log":            {log: lines, want: lines[5:]},
		"a panic":               {log: append(append(lines[:18:18], first), stack...), want: append([]string{first}, stack[:19]...)},
		"a short panic":         {log: append(append(lines[:18:18], fatal), stack[:2]...), want: append([]string{fatal}, stack[:2]...)},
		"a panic after another": {log: []string{first, "frame", "a new process", fatal, "another frame"}, want: []string{fatal, "another frame"}},
		"a recovered panic":     {log: []string{"E1126 panic.go:262] Observed a panic: it is logged", "and the program goes on"}, want: []string{"E1126 panic.go:262] Observed a panic: it is logged", "and the program goes on"}},
		"a long line":           {log: []string{strings.Repeat("x", 1000)}, want: []string{strings.Repeat("x", 400) + "..."}},
		"half a letter":         {log: []string{strings.Repeat("x", 399) + "ü"}, want: []string{strings.Repeat("x", 399) + "..."}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := filepath.Join(t.TempDir(), "a.log")
			g.Expect(os.WriteFile(path, []byte(strings.Join(test.log, "\n")+"\n"), 0o600)).To(Succeed())
			g.Expect(strings.Split(tail(path), "\n")).To(Equal(test.want))
		})
	}
	NewWithT(t).Expect(tail("/nowhere/a.log")).To(Equal("open /nowhere/a.log: no such file or directory"))
}
