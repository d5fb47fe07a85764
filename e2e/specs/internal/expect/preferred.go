// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Choices are choices of a scheduler in one situation, of which each is the preferred one or
// not.
type Choices struct {
	// What describes the preferred choices.
	What      string
	Preferred []bool
}

// Preferred asserts that most choices, at least three of four, are the preferred
// one. A preference is one of several criteria of a scheduler, so that another
// one may outweigh it now and then. A scheduler without the preference would have
// to be lucky most of the time.
func Preferred(choices []bool, what string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(Choices{what, choices}.outweighed()).To(gomega.BeEmpty())
}

// PreferredIfEver is [Preferred] for several situations, unless a foreign scheduler has no
// such preference at all: the API leaves it to other criteria which of several nodes is chosen
// (DeviceRequest.firstAvailable), so that the spec does not apply to a scheduler that only has
// others. What it prefers in one situation it must prefer in all. kube-scheduler and the
// bundled scheduler have the preference (KEP-4816, graduation criteria of beta).
func PreferredIfEver(e *env.Env, all ...Choices) {
	ginkgo.GinkgoHelper()
	var outweighed []string
	for _, choices := range all {
		if why := choices.outweighed(); why != "" {
			outweighed = append(outweighed, why)
		}
	}
	if len(outweighed) > 0 && e.ForeignScheduler && !isPreference(all) {
		e.NotApplicable("needs a scheduler that prefers nodes with earlier alternatives: " + strings.Join(outweighed, "; "))
	}
	gomega.Expect(strings.Join(outweighed, "\n")).To(gomega.BeEmpty(), "the scheduler should prefer nodes with earlier alternatives")
}

// isPreference reports whether choices cannot be explained by luck: at least half of them are
// the preferred ones, and all of one situation. Of four nodes, each is chosen for one pod of
// four.
func isPreference(all []Choices) bool {
	total, preferred, always := 0, 0, false
	for _, choices := range all {
		n := choices.preferred()
		total, preferred, always = total+len(choices.Preferred), preferred+n, always || n == len(choices.Preferred)
	}
	return always && 2*preferred >= total
}

// preferred returns the number of preferred choices.
func (c Choices) preferred() int {
	n := 0
	for _, choice := range c.Preferred {
		if choice {
			n++
		}
	}
	return n
}

// outweighed states that too few choices are the preferred one. It is empty if most are.
func (c Choices) outweighed() string {
	if n := c.preferred(); 4*n < 3*len(c.Preferred) {
		return fmt.Sprintf("%s: %d of %d should be at least three of four", c.What, n, len(c.Preferred))
	}
	return ""
}
