// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
)

// Guards that stopping or deregistering a driver immediately after its start
// does not affect other drivers.
func TestStopAtOnce(t *testing.T) {
	r := start(t)
	r.settle()
	before := r.traces()
	for i := range 25 {
		name := fmt.Sprintf("d%d.example.com", i)
		_, err := r.Publish(t.Context(), name, nics)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(r.Register(t.Context(), name, false)).To(Succeed())
		r.g.Expect(r.Register(t.Context(), name, true)).To(Succeed())
		r.g.Expect(r.Stop(t.Context(), name)).To(Succeed())
	}
	r.g.Expect(r.traces()).To(Equal(before))
	r.register(driver)
}
