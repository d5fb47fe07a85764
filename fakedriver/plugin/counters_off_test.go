// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

// Guards a driver that is started again when the API server does not store counters any
// more. It knows and unprepares partitions, and offers whole devices.
func TestRestartWithoutCounters(t *testing.T) {
	partition, whole := newClaim(driver, "gpu-0-mig-1g-5gb-0", "partition"), newClaim(driver, "gpu-0", "whole")
	r := start(t, partition, whole)
	r.settle()
	_, err := r.kubelet(driver).prepare(t.Context(), partition)
	r.g.Expect(err).NotTo(HaveOccurred())

	r.server.Change(fakeapi.CountersOff)
	r = r.restart()
	r.settle()
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Claims", []string{"default/partition"}))
	r.g.Expect(r.devices(driver)).To(Equal([]string{"gpu-0"}))
	kubelet := r.kubelet(driver)
	r.g.Expect(kubelet.unprepare(t.Context(), partition)).To(Succeed())
	_, err = kubelet.prepare(t.Context(), whole)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(kubelet.unprepare(t.Context(), whole)).To(Succeed())

	r.server.Change(fakeapi.CountersOn)
	r = r.restart()
	r.settle()
	r.g.Expect(r.devices(driver)).To(HaveLen(26))
}
