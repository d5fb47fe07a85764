// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/calls"
)

// The drivers of classic DRA cannot import this package. They read and write the same JSON.
func TestClassicDriversUnderstandFaults(t *testing.T) {
	g := NewWithT(t)
	want, err := os.ReadFile("../classic/calls/testdata/faults.jsonl")
	g.Expect(err).NotTo(HaveOccurred())
	var got []string
	for _, f := range []calls.Fault{
		{Method: "Allocate", Action: calls.Fail, Count: 2, Message: "the devices have no power"},
		{Method: "Allocate", Action: calls.Delay, Count: 1, Delay: metav1.Duration{Duration: 90 * time.Second}, ID: "second"},
	} {
		encoded, err := json.Marshal(f)
		g.Expect(err).NotTo(HaveOccurred())
		got = append(got, string(encoded))
	}
	g.Expect(got).To(Equal(strings.Split(strings.TrimSpace(string(want)), "\n")))
}

func TestLogsOfClassicDriversAreUnderstood(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("../classic/calls/testdata/log.json")
	g.Expect(err).NotTo(HaveOccurred())
	var log []calls.Call
	g.Expect(json.Unmarshal(content, &log)).To(Succeed())
	g.Expect(log).To(HaveLen(2))
	g.Expect(log[0]).To(And(HaveField("Seq", 7), HaveField("Method", "Allocate"), HaveField("Fault", calls.Lose), HaveField("Error", "the response is lost")))
	g.Expect(log[0].Claims).To(Equal([]calls.Claim{{Namespace: "default", Name: "claim", UID: "uid-1", Devices: []string{"n1/device-0"}}}))
	g.Expect(log[0].End.Sub(log[0].Start)).To(Equal(time.Second))
	g.Expect(log[1].End).To(BeNil())
}
