// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/hack/internal/measure"
)

var machine = measure.Machine{Date: "2026-11-24", Commit: "0123456789ab", Processor: "a processor"}

func TestRoundsAreContinued(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "bin", "rounds.json")
	kept, err := read(path, machine)
	g.Expect(err).NotTo(HaveOccurred(), "nothing is kept before the first round")
	g.Expect(kept.Rounds).To(BeEmpty())

	kept.Rounds = []round{measured(200), measured(100)}
	g.Expect(kept.write(path)).To(Succeed())
	later := machine
	later.Date = "2026-11-25"
	again, err := read(path, later)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(figures(again.Rounds)).To(Equal(figures(kept.Rounds)), "the rounds of before count as if measured now")
	g.Expect(again.Machine).To(Equal(later))
}

func TestRoundsOfOtherCodeOrMachinesAreNotContinued(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "rounds.json")
	g.Expect(measurement{Machine: machine, Rounds: []round{measured(100)}}.write(path)).To(Succeed())
	for _, change := range []func(*measure.Machine){
		func(m *measure.Machine) { m.Commit = "ba9876543210" },
		func(m *measure.Machine) { m.Processor = "another processor" },
	} {
		other := machine
		change(&other)
		_, err := read(path, other)
		g.Expect(err).To(MatchError(ContainSubstring("measure all rounds again")))
	}
	g.Expect(os.WriteFile(path, []byte("{"), 0o644)).To(Succeed())
	_, err := read(path, machine)
	g.Expect(err).To(MatchError(ContainSubstring(path)))
}
