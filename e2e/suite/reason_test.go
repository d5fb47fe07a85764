// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A reason has the messages of errors, and not their fields.
func TestWithoutDumps(t *testing.T) {
	var many []error
	for i := range 200 {
		many = append(many, fmt.Errorf("delete node %d: %w", i, errors.New("context canceled")))
	}
	for name, err := range map[string]error{
		"plain":     errors.New("pod a waits"),
		"wrapped":   fmt.Errorf("create pod a: %w", apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "a")),
		"several":   errors.Join(errors.New("first"), fmt.Errorf("second: %w", errors.New("{\n}"))),
		"truncated": errors.Join(many...),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var failures []string
			failing := NewGomega(func(message string, _ ...int) { failures = append(failures, message) })
			failing.Expect(err).NotTo(HaveOccurred(), "pod a should run")
			failing.Expect(func() error { return err }()).To(Succeed())
			indented := strings.ReplaceAll(err.Error(), "\n", "\n    ")
			g.Expect(withoutDumps(strings.Join(failures, "\n"))).To(Equal("pod a should run\nUnexpected error:\n    " + indented + "\noccurred\nExpected success, but got an error:\n    " + indented))
		})
	}
	NewWithT(t).Expect(withoutDumps("Expected\n    <string>: a\nto equal\n    <string>: b")).To(Equal("Expected\n    <string>: a\nto equal\n    <string>: b"), "values are kept")
}
