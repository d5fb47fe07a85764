// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

// Without an answer, such as after the end of the run, a worker runs nothing.
func TestWorkerAsksBeforeEachSpec(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	c := conversation{json.NewDecoder(strings.NewReader(`{"run":true}{"run":false}`)), json.NewEncoder(&out)}
	g.Expect(c.takes(suite.Spec{ID: "a"})).To(BeTrue())
	g.Expect(c.takes(suite.Spec{ID: "b"})).To(BeFalse())
	g.Expect(c.takes(suite.Spec{ID: "c"})).To(BeFalse())
	var asked []string
	g.Expect(readResults(&out, func(f workerResult) {
		g.Expect(f.Asks).To(BeTrue())
		asked = append(asked, f.ID)
	})).To(Succeed())
	g.Expect(asked).To(Equal([]string{"a", "b", "c"}))
}

// If several workers have the same specs, the longest come first in all of them.
func TestOrderOfTheSpecsOfWorkers(t *testing.T) {
	g := NewWithT(t)
	all := independentSpecs("a", "b", "c")
	p := workerInput{Specs: []string{"c", "a"}}
	g.Expect(ids(p.specsOf(all))).To(Equal([]string{"a", "c"}))
	p.Asks = true
	g.Expect(ids(p.specsOf(all))).To(Equal([]string{"c", "a"}))
}
