// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func TestPools(t *testing.T) {
	g := NewWithT(t)
	client := liveCluster(t)
	text, err := runLive(t, client, "pools")
	g.Expect(err).NotTo(HaveOccurred())
	for _, want := range []string{
		"pool gpu.example.com/worker-1, node worker-1: 3 devices, 1 free, 1 held, 1 blocked\n",
		"  held: part-0: by team/holder (pod trainer)\n",
		"  free: part-1\n",
		"  blocked, counter gpu-0 memory needs 40Gi, 30Gi left: whole-0\n",
		"  gpu-0 memory: 10Gi/40Gi a\n",
		"  shared: nic-0: bandwidth 6G of 10G used, by team/share (no pod) bandwidth=6G\n",
		"no device can be allocated: incomplete: generation 3 has 1 of 2 slices\n",
		"  tainted, taint broken=yes:NoSchedule: broken\n",
		"  held, not there: unplugged (in no slice of its pool): by team/removed (no pod)\n",
	} {
		g.Expect(text).To(ContainSubstring(want))
	}
	for _, action := range client.Actions() {
		g.Expect(action.GetVerb()).To(BeElementOf("get", "list"), "the cluster is only read")
	}
}

func TestPoolsAreSelected(t *testing.T) {
	g := NewWithT(t)
	pools := func(args ...string) (names []string) {
		out, err := runLive(t, liveCluster(t), append([]string{"pools", "-o", "yaml"}, args...)...)
		g.Expect(err).NotTo(HaveOccurred())
		var got printedPools
		g.Expect(yaml.Unmarshal([]byte(out), &got)).To(Succeed())
		for _, pool := range got.Pools {
			names = append(names, pool.Driver+"/"+pool.Pool)
		}
		return names
	}
	g.Expect(pools("--node", "worker-1")).To(Equal([]string{"gpu.example.com/worker-1", "nic.example.com/worker-1"}))
	g.Expect(pools("--driver", "nic.example.com")).To(Equal([]string{"nic.example.com/worker-1"}))
	g.Expect(pools("--pool", "worker-3")).To(Equal([]string{"gpu.example.com/worker-3"}))
	g.Expect(pools()).To(HaveLen(4))
	_, err := runLive(t, liveCluster(t), "pools", "--node", "none")
	g.Expect(errors.Is(err, errUsage)).To(BeTrue(), "%v", err)
}

func TestPoolsThatNobodyPublishes(t *testing.T) {
	g := NewWithT(t)
	client := liveCluster(t)
	g.Expect(client.ResourceV1().ResourceSlices().Delete(t.Context(), "worker-3-devices", metav1.DeleteOptions{})).To(Succeed())
	text, err := runLive(t, client, "pools")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(ContainSubstring("pool gpu.example.com/worker-3, no nodes: 1 device, 0 free, 1 held"))
}
