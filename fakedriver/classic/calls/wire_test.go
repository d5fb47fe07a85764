// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// The suite sends faults as to the other fake drivers, and reads the log as theirs: a test of
// the package of the same name reads these files, too.
func TestFaultsOfTheSuiteAreUnderstood(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("testdata/faults.jsonl")
	g.Expect(err).NotTo(HaveOccurred())
	var got []Fault
	for _, line := range bytes.Split(bytes.TrimSpace(content), []byte("\n")) {
		var f Fault
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		g.Expect(decoder.Decode(&f)).To(Succeed())
		g.Expect(f.Validate()).To(Succeed())
		got = append(got, f)
	}
	g.Expect(got).To(HaveExactElements(
		And(HaveField("Action", Fail), HaveField("Message", "the devices have no power"), HaveField("Count", 2)),
		And(HaveField("Action", Delay), HaveField("Delay.Duration", 90*time.Second), HaveField("ID", "second")),
	))
}

// Guards that a client which got no answer can repeat its request.
func TestFaultIsInjectedOnce(t *testing.T) {
	g := NewWithT(t)
	var r Recorder
	for _, id := range []string{"one", "one", "two", "one", "", ""} {
		g.Expect(r.Inject(Fault{Method: Allocate, Action: Fail, Count: 1, Message: "no", ID: id})).To(Succeed())
	}
	failed := 0
	for range 10 {
		if r.Do(t.Context(), Allocate, nil, nil, func() ([]Claim, error) { return nil, nil }) != nil {
			failed++
		}
	}
	g.Expect(failed).To(Equal(4), "one, two, and two without an ID")
}

func TestLogIsWrittenForTheSuite(t *testing.T) {
	g := NewWithT(t)
	want, err := os.ReadFile("testdata/log.json")
	g.Expect(err).NotTo(HaveOccurred())
	start := time.Date(2024, time.April, 17, 10, 0, 0, 0, time.UTC)
	end := start.Add(time.Second)
	claim := Claim{Namespace: "default", Name: "claim", UID: "uid-1"}
	allocated, excluded := claim, claim
	allocated.Devices, excluded.Unsuitable = []string{"n1/device-0"}, []string{"n2"}
	got, err := json.Marshal([]Call{
		{Seq: 7, Method: Allocate, Claims: []Claim{allocated}, Nodes: []string{"n1"}, Fault: Lose, Error: "the response is lost", Start: start, End: &end},
		{Seq: 8, Method: UnsuitableNodes, Claims: []Claim{excluded}, Nodes: []string{"n1", "n2"}, Start: start.Add(2 * time.Second)},
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(MatchJSON(want))
}
