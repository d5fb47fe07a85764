// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	rulebook "github.com/draconform/draconform/internal/rules"
)

// Guards that declarations of a description are written to the slices like
// those of the control endpoint, and that the control endpoint overrides them.
func TestAffinityOfADescription(t *testing.T) {
	both := newShare("both", "a")
	r := start(t, both)
	published := control.Published{Devices: control.Devices{Model: "nic-affinity", Count: 2}}
	_, err := r.Publish(t.Context(), second, published)
	r.g.Expect(err).NotTo(HaveOccurred())
	declared := func() map[string]affinity.Declaration {
		value, ok := r.slices(second)[0].Annotations[affinity.Annotation]
		if !ok {
			return nil
		}
		parsed, err := rulebook.ParseAffinity(value)
		r.g.Expect(err).NotTo(HaveOccurred())
		return parsed
	}
	keys := affinity.Declaration{AttributeKeys: []string{"nic.draconform.dev/subnet", "nic.draconform.dev/pkey"}}
	r.g.Expect(declared()).To(Equal(map[string]affinity.Declaration{"nic-0": keys, "nic-1": keys}))
	kubelet := r.kubelet(second)
	_, err = kubelet.prepare(t.Context(), both)
	r.g.Expect(err).To(MatchError(ContainSubstring("key nic.draconform.dev/subnet is missing")), "the claim states another key")

	published.Affinity = subnets("nic-0", true)
	_, err = r.Publish(t.Context(), second, published)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(declared()).To(Equal(map[string]affinity.Declaration{"nic-0": published.Affinity["nic-0"].Declaration, "nic-1": keys}))
	_, err = kubelet.prepare(t.Context(), both)
	r.g.Expect(err).NotTo(HaveOccurred())

	published.Affinity = map[string]affinity.Rule{"nic-0": {}, "nic-1": {Declaration: keys}}
	_, err = r.Publish(t.Context(), second, published)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(declared()).To(BeNil(), "one has no rule, the other an undeclared one")
	published.Affinity = map[string]affinity.Rule{"nic-0": {Declared: true}}
	_, err = r.Publish(t.Context(), second, published)
	r.g.Expect(err).To(MatchError(ContainSubstring("affinity of device nic-0: attributeKeys is empty")))
}

// Guards that shared devices are not published if the API server does not
// support sharing, and that the driver reports everything as published.
func TestSharedDevicesWithoutTheFeature(t *testing.T) {
	r := start(t)
	r.settle()
	r.server.Change(fakeapi.SharingOnlyInDryRun)
	published := control.Published{Devices: control.Devices{Model: "nic", Count: 2}}
	status, err := r.Publish(t.Context(), second, published)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Pending).To(BeEmpty())
	r.g.Expect(status.Published).To(Equal(published))
	r.g.Expect(r.slices(second)).To(BeEmpty())

	_, err = r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.devices(second)).To(HaveLen(26), "partitions do not need sharing")
	r.server.Change(fakeapi.SharingOn)
	_, err = r.Publish(t.Context(), second, published)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.devices(second)).To(Equal([]string{"nic-0", "nic-1"}))
}
