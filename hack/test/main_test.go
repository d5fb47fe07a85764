// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
)

// log records what happens.
type log struct {
	mu     sync.Mutex
	events []string
}

func (l *log) add(event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, event)
}

var (
	all = suite{dir: "all"}
	two = []suite{{dir: "one"}, {dir: "two"}}
)

func TestSmallSuitesRunBesideTheLargeOne(t *testing.T) {
	g := NewWithT(t)
	var happened log
	last := make(chan struct{})
	err := runBeside(t.Context(), all, two, func(_ context.Context, s suite, starts func()) error {
		happened.add(s.dir)
		switch s.dir {
		case "all":
			starts()
			<-last
			happened.add("all ends")
		case "two":
			close(last)
		}
		return nil
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(happened.events).To(Equal([]string{"all", "one", "two", "all ends"}))
}

func TestSmallSuitesWaitForTheFirstTests(t *testing.T) {
	g := NewWithT(t)
	var happened log
	err := runBeside(t.Context(), all, two, func(_ context.Context, s suite, _ func()) error {
		happened.add(s.dir)
		if s.dir == "two" {
			return nil
		}
		happened.add("fails")
		return errors.New("it does not compile")
	})
	g.Expect(err).To(MatchError("tests of  in all: it does not compile\ntests of  in one: it does not compile"), "all failures are reported")
	g.Expect(happened.events).To(Equal([]string{"all", "fails", "one", "fails", "two"}), "they run even if no test of the large one starts")
}

func TestNoSuiteStartsAfterAnInterrupt(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	var happened log
	err := runBeside(ctx, all, two, func(ctx context.Context, s suite, starts func()) error {
		happened.add(s.dir)
		if s.dir == "all" {
			starts()
			<-ctx.Done()
		} else {
			cancel()
		}
		return ctx.Err()
	})
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(happened.events).To(Equal([]string{"all", "one"}))
}

// Tests with a build tag run only with that tag.
func TestSuitesHaveAllPackagesWithTaggedTests(t *testing.T) {
	tagged := regexp.MustCompile(`(?m)^//go:build (draconform_\w+)$`)
	found := 0
	root := os.DirFS("../..")
	g := NewWithT(t)
	g.Expect(fs.WalkDir(root, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		content, err := fs.ReadFile(root, file)
		if match := tagged.FindSubmatch(content); match != nil {
			found++
			g.Expect(slices.ContainsFunc(small, func(s suite) bool {
				return slices.Contains(s.tags, string(match[1])) && slices.ContainsFunc(s.packages, func(p string) bool { return path.Join(s.dir, p) == path.Dir(file) })
			})).To(BeTrue(), "a suite with the tag of %s", file)
		}
		return err
	})).To(Succeed())
	g.Expect(found).To(BeNumerically(">", 5))
}
