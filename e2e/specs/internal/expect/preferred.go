// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// Preferred asserts that most choices, at least three of four, are the preferred
// one. A preference is one of several criteria of a scheduler, so that another
// one may outweigh it now and then. A scheduler without the preference would have
// to be lucky most of the time.
func Preferred(choices []bool, what string) {
	ginkgo.GinkgoHelper()
	preferred := 0
	for _, choice := range choices {
		if choice {
			preferred++
		}
	}
	gomega.Expect(4*preferred).To(gomega.BeNumerically(">=", 3*len(choices)), "%s: %d of %d should be at least three of four", what, preferred, len(choices))
}
