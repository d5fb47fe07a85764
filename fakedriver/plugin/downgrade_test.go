// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"errors"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
)

// Guards a downgrade of the plugin. If its version does not know the devices of
// a driver, all other drivers start and the claims of that driver can be
// unprepared.
func TestDowngrade(t *testing.T) {
	own, claim := newClaim(driver, "gpu-1", "own"), newClaim(second, "gpu-0", "claim")
	r := start(t, own, claim)
	for _, name := range []string{driver, second} {
		_, err := r.Publish(t.Context(), name, twoGPUs)
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	_, err := r.Publish(t.Context(), "third.example.com", nics)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = r.kubelet(second).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = r.kubelet(driver).prepare(t.Context(), own)
	r.g.Expect(err).NotTo(HaveOccurred())
	before := r.slices(second)

	r.config.Inventory = func(node string, devices control.Devices) (*describe.Inventory, error) {
		if devices == twoGPUs.Devices {
			return nil, errors.New("at most one is supported")
		}
		return inventoryOf(node, devices)
	}
	dir := filepath.Join(r.config.PluginsDir, driver)
	for i, damage := range [][]string{{"at most one is supported"}, nil} {
		r = r.restart()
		for name, path := range map[string]string{driver: dir, second: filepath.Join(dir, "drivers", second)} {
			status, err := r.Status(t.Context(), name)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(status.Claims).To(HaveLen(1), name)
			r.g.Expect(status.Damage).To(HaveLen(len(damage)), "start %d of %s", i, name)
			if len(damage) > 0 {
				r.g.Expect(status.Damage[0]).To(And(ContainSubstring(damage[0]), ContainSubstring(filepath.Join(path, "published.json.corrupt-1"))))
			}
		}
		r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Published", oneGPU), "the pod's own driver has flags")
		r.g.Expect(r.Status(t.Context(), second)).To(HaveField("Pending", ContainSubstring("the content of this driver is not known")))
		r.g.Expect(r.slices(second)).To(Equal(before))
		r.g.Expect(r.Status(t.Context(), "third.example.com")).To(HaveField("Published", nics))
	}
	r.g.Expect(r.kubelet(second).unprepare(t.Context(), claim)).To(Succeed())
	r.g.Expect(r.kubelet(driver).unprepare(t.Context(), own)).To(Succeed())
}
