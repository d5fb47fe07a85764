// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const events = `{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"example.com/a"}
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"example.com/a","Test":"TestA"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"example.com/a","Test":"TestA","Output":"noise of a test that passed\n"}
{"ImportPath":"example.com/c","Action":"build-output","Output":"# example.com/c\n"}
{"Time":"2026-01-01T00:00:04Z","Action":"output","Package":"example.com/a","Output":"ok  \texample.com/a\t4.000s\n"}
{"Time":"2026-01-01T00:00:04Z","Action":"pass","Package":"example.com/a","Elapsed":4}
{"ImportPath":"example.com/c","Action":"build-output","Output":"c.go:1: undefined\n"}
{"ImportPath":"example.com/c","Action":"build-fail"}
{"ImportPath":"example.com/d","Action":"build-output","Output":"d.go:1: a warning\n"}
{"Time":"2026-01-01T00:00:05Z","Action":"start","Package":"example.com/b"}
{"Time":"2026-01-01T00:00:05Z","Action":"output","Package":"example.com/b","Test":"TestA","Output":"noise of another\n"}
{"Time":"2026-01-01T00:00:05Z","Action":"pass","Package":"example.com/b","Test":"TestA"}
{"Time":"2026-01-01T00:00:05Z","Action":"pass","Package":"example.com/b","Test":"TestA/part"}
{"Time":"2026-01-01T00:00:05Z","Action":"output","Package":"example.com/b","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Time":"2026-01-01T00:00:05Z","Action":"output","Package":"example.com/b","Test":"TestB","Output":"--- FAIL: TestB\n    b_test.go:7: why\n"}
{"Time":"2026-01-01T00:00:06Z","Action":"fail","Package":"example.com/b","Test":"TestB","Elapsed":1}
{"Time":"2026-01-01T00:00:06Z","Action":"output","Package":"example.com/b","Output":"FAIL\texample.com/b\t9.000s\n"}
{"Time":"2026-01-01T00:00:14Z","Action":"fail","Package":"example.com/b","Elapsed":9}
`

// writes are separate writes.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

// The output of a package is written at once, because another suite may write at the
// same time.
func TestReadPrintsAsGoTestDoes(t *testing.T) {
	g := NewWithT(t)
	var out writes
	all := &times{begun: time.Now(), to: &out}
	starts := 0
	passed, err := all.read(strings.NewReader(events), func() { starts++ })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(Equal(writes{
		"ok  \texample.com/a\t4.000s\n",
		"# example.com/c\nc.go:1: undefined\n",
		"--- FAIL: TestB\n    b_test.go:7: why\nFAIL\texample.com/b\t9.000s\n",
		"d.go:1: a warning\n",
	}), "one line of a package that passed, all lines of a failure")
	g.Expect(starts).To(Equal(2))
	g.Expect(passed).To(Equal(map[string]int{"example.com/b": 1}))
	g.Expect(all.packages).To(Equal([]packageTime{{"example.com/a", 4 * time.Second}, {"example.com/b", 9 * time.Second}}))
	g.Expect(all.compiled).To(BeNumerically(">", 0))
	g.Expect(all.table()).To(MatchRegexp(`(?s)2 packages in .*; tests took 13s in total, the longest:\n +9s  example.com/b\n +4s  example.com/a\n$`))
	g.Expect(all.order()).To(Equal("example.com/b\nexample.com/a\n"))
}

func TestReadRejectsOtherOutput(t *testing.T) {
	_, err := (&times{to: &strings.Builder{}}).read(strings.NewReader("no JSON"), func() {})
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("read the output of go test: ")))
}
