// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

const tooLargeFor134 = "{name: chips, grid: 8x8, hosts: {chips: 2x2, label: " + hostLabel + "}, slices: [{shape: 1x1}, {shape: 8x8}]}"

func TestNothingIsPublishedWithoutTheFeature(t *testing.T) {
	for name, option := range map[string]fakeapi.Option{
		"node selection is dropped": nil,
		"counters are dropped":      fakeapi.CountersOff,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, hosts(4))
			if option != nil {
				c.server.Change(option)
			} else {
				c.gateOff(true)
			}
			r := c.start(t, "a")
			r.eventuallySays("503 nothing is published: the API server drops counters or the node selection of each device, which DRAPartitionableDevices enables: ")
			c.g.Expect(c.stored(c.g)).To(BeEmpty(), "a dry run creates no slices")
			c.g.Expect(r.writes()).To(BeZero())

			c.gateOff(false)
			c.server.Change(fakeapi.CountersOn)
			r.eventuallySays("200 4 of 4 hosts, 7 of 7 devices available")
			c.eventuallyAvailable(allDevices...)
		})
	}
}

func TestSlicesAreRemovedWhenTheFeatureIsDisabled(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	first := c.start(t, "a")
	c.eventuallyAvailable(allDevices...)
	c.gateOff(true)
	first.eventuallySays("503 nothing is published")
	c.g.Eventually(c.stored, patience, "10ms").Should(BeEmpty())
	c.gateOff(false)
	c.eventuallyAvailable(allDevices...)

	// A leader that has published nothing itself also removes the slices.
	first.stop()
	c.gateOff(true)
	c.start(t, "b").eventuallySays("503 nothing is published")
	c.g.Eventually(c.stored, patience, "10ms").Should(BeEmpty())
}

func TestFieldsKeptOnlyInDryRuns(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4), fakeapi.CountersOnlyInDryRun)
	r := c.start(t, "a")
	r.eventuallySays("503 nothing is published: the API server dropped fields that it kept in a dry run")
	c.g.Eventually(c.stored, patience, "10ms").Should(BeEmpty())
	// First all API servers lack the feature, then all have it.
	c.server.Change(fakeapi.CountersOff)
	r.eventuallySays("503 nothing is published: the API server drops counters")
	c.server.Change(fakeapi.CountersOn)
	c.eventuallyAvailable(allDevices...)
}

func TestKubernetes134(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4), fakeapi.Kubernetes134)
	r := c.start(t, "a")
	r.eventuallySays("200 4 of 4 hosts, 7 of 7 devices available")
	c.g.Expect(c.stored(c.g)).To(HaveLen(1))
	c.server.Change(fakeapi.Kubernetes135)
	c.g.Eventually(c.stored, patience, "10ms").Should(HaveLen(2), "after an upgrade of the API server")
	c.eventuallyAvailable(allDevices...)
}

func TestTopologyExceedsLimitsOfKubernetes134(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(16), fakeapi.Kubernetes134)
	r := c.start(t, "a", with(tooLargeFor134))
	r.eventuallySays("503 nothing is published: topology chips with counters in the slices of their devices: device tpu-8x8-0-0 consumes from 2 counter sets, Kubernetes 1.34 requires them in one slice and allows 32 counters there")
	c.g.Expect(r.writes()).To(BeZero())
}

func TestUnreachableAPIServer(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	c.server.Client.PrependReactor("create", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("connection refused")
	})
	c.start(t, "a").eventuallySays("503 probe which ResourceSlices the API server accepts: connection refused")
}
