// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
)

const family = `device.attributes["gpu.example.com"].model.substring(0, 4)`

func TestDerivedAttributeIsComparedLikeADeviceAttribute(t *testing.T) {
	g := NewWithT(t)
	m := newMemo(true)
	d := m.Derived(family)
	g.Expect(d.CompileError()).NotTo(HaveOccurred())
	devices := slice(t, driver, device(attributes{"model": text("A100-40"), "family": text("A100")}), device(attributes{"model": text("H100-80")}))
	published := m.Attribute("gpu.example.com/family").Values(devices)
	for range 2 {
		g.Expect(d.Value(context.Background(), devices, 0)).To(Equal(published[0]))
		other, err := d.Value(context.Background(), devices, 1)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(m.Text(other)).To(Equal(`"H100"`))
	}
}

func TestDerivedAttributeThatFails(t *testing.T) {
	g := NewWithT(t)
	d := newMemo(true).Derived(family)
	g.Expect(d.CompileError()).NotTo(HaveOccurred())
	devices := slice(t, driver, device(nil))
	for range 2 {
		_, err := d.Value(context.Background(), devices, 0)
		g.Expect(err).To(MatchError(ContainSubstring("no such key: model")))
	}
	g.Expect(newMemo(true).Derived("device.driver ==").CompileError()).To(MatchError(ContainSubstring("Syntax error")))
}

func TestInterruptedDerivationIsNotCached(t *testing.T) {
	g := NewWithT(t)
	const slow = `["a","b","c","d","e","f","g","h","i","j"].all(x, ["a","b","c","d","e","f","g","h","i","j"].all(y, ["a","b","c","d","e","f","g","h","i","j"].all(z, x != "" && y != "" && z != "")))`
	m := newMemo(true)
	d := m.Derived(slow)
	g.Expect(d.CompileError()).NotTo(HaveOccurred())
	devices := slice(t, driver, resourceapi.Device{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := d.Value(ctx, devices, 0)
	g.Expect(err).To(HaveOccurred(), "the evaluation was interrupted")
	value, err := d.Value(context.Background(), devices, 0)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Text(value)).To(Equal("true"))
}
