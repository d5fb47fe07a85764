// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gocmd

import (
	"fmt"
	"io"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestFollowSeparatesProgressFromMessages(t *testing.T) {
	g := NewWithT(t)
	var updates []string
	last := follow(strings.NewReader(`go: downloading k8s.io/api v0.37.1
internal/abi
k8s.io/api/core/v1
go: downloading golang.org/x/sys v0.49.0
# example.com/broken
./main.go:3:15: undefined: missing
example.com/fine

`), func(d Done) { updates = append(updates, d.String()) })
	g.Expect(last).To(Equal([]string{"# example.com/broken", "./main.go:3:15: undefined: missing", ""}))
	g.Expect(updates).To(HaveLen(8))
	g.Expect(updates[0]).To(Equal("1 modules fetched, 0 packages compiled"))
	g.Expect(updates[7]).To(Equal("2 modules fetched, 3 packages compiled"))
}

func TestFollowKeepsTheLastMessages(t *testing.T) {
	g := NewWithT(t)
	var output strings.Builder
	for i := range 50 {
		fmt.Fprintf(&output, "message %d\npackage/%d\n", i, i)
	}
	last := follow(strings.NewReader(output.String()), func(Done) {})
	g.Expect(last).To(HaveLen(20))
	g.Expect(last[0]).To(Equal("message 30"))
	g.Expect(last[19]).To(Equal("message 49"))
}

func TestFollowReadsPastAnOverlongLine(t *testing.T) {
	g := NewWithT(t)
	r := strings.NewReader(strings.Repeat("x", 3<<20) + "\nmore\n")
	g.Expect(follow(r, func(Done) {})).To(ConsistOf(ContainSubstring("token too long")))
	_, err := r.ReadByte()
	g.Expect(err).To(MatchError(io.EOF), "the go command does not block on its output")
}

func TestIsPackage(t *testing.T) {
	for line, want := range map[string]bool{
		"fmt":                       true,
		"golang.org/x/sys/unix":     true,
		"example.com/a/v2":          true,
		"command-line-arguments":    true,
		"":                          false,
		"# example.com/broken":      false,
		"./main.go:3:15: undefined": false,
		"\tfound packages":          false,
		"go: finding modules":       false,
	} {
		t.Run(line, func(t *testing.T) {
			NewWithT(t).Expect(isPackage(line)).To(Equal(want))
		})
	}
}
