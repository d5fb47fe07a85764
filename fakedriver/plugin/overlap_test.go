// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/internal/loopback"
)

func TestTwoVersionsOnANode(t *testing.T) {
	a, b := newClaim(driver, "gpu-0", "a"), newClaim(driver, "gpu-0", "b")
	config, server := newConfig(t, a, b)
	config.PodUID, config.OlderCheckpoint = "older", true
	older := startWith(t, config, server)
	published := older.complete(driver)
	config.PodUID, config.OlderCheckpoint, config.Address = "newer", false, loopback.FreeAddress(t)
	newer := startWith(t, config, server)
	g := newer.g
	g.Expect(newer.complete(driver)).To(Equal(published), "the newer one publishes the same")

	want, err := older.kubelet(driver).prepare(t.Context(), a)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(newer.kubelet(driver).prepare(t.Context(), a)).To(Equal(want), "the kubelet may call either of them")
	_, err = newer.kubelet(driver).prepare(t.Context(), b)
	g.Expect(err).To(MatchError(ContainSubstring("claim default/a")), "the device is prepared by the other one")

	g.Expect(newer.kubelet(driver).unprepare(t.Context(), a)).To(Succeed())
	_, err = older.kubelet(driver).prepare(t.Context(), b)
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(older.stop()).To(Succeed())
	g.Expect(older.registrar(driver)).NotTo(BeAnExistingFile())
	g.Expect(newer.Status(t.Context(), driver)).To(HaveField("Claims", ConsistOf("default/b")))
	g.Expect(newer.slices(driver)).To(Equal(published), "the slices are kept")
	g.Expect(newer.kubelet(driver).unprepare(t.Context(), b)).To(Succeed())
}

// complete waits until all slices of the driver's pool are published, and
// returns them.
func (r *running) complete(driver string) (all []resourceapi.ResourceSlice) {
	r.tb.Helper()
	r.g.Eventually(func() bool {
		all = r.slices(driver)
		return len(all) > 0 && int64(len(all)) == all[0].Spec.Pool.ResourceSliceCount
	}, "30s", "10ms").Should(BeTrue())
	return all
}
