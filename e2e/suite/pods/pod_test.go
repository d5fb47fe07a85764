// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Names of claims may be longer than the values of labels.
func TestClaimLabelValue(t *testing.T) {
	g := NewWithT(t)
	long := strings.Repeat("x", validation.LabelValueMaxLength+1)
	g.Expect(claimLabelValue(long[1:])).To(Equal(long[1:]))
	g.Expect(validation.IsValidLabelValue(claimLabelValue(long))).To(BeEmpty())
	g.Expect(claimLabelValue(long)).NotTo(Equal(claimLabelValue(long + "y")))
}
