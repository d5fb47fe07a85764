// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
)

func TestNoRoomForTheMemoryOfOneCluster(t *testing.T) {
	g := NewWithT(t)
	few := Reading[int]{Value: 1}
	check := func(memory uint64, workers int) string {
		return noRoom(Reading[uint64]{Value: memory}, few, []int{workers})
	}
	g.Expect(check(16*gib, 4)).To(BeEmpty())
	g.Expect(check(memoryNeeded, 2)).To(BeEmpty())
	g.Expect(check(memoryForFiveNodes, 4)).To(BeEmpty())
	g.Expect(check(memoryForFiveNodes-1, 4)).To(Equal("a cluster with 4 worker nodes needs 8.0 GiB of memory, the engine has 7.9 GiB"))
}

func TestNoRoomForSeveralClusters(t *testing.T) {
	g := NewWithT(t)
	memory, instances := Reading[uint64]{Value: 7 * gib}, Reading[int]{Value: 4 * instancesPerNode}
	g.Expect(noRoom(memory, instances, []int{1, 1})).To(BeEmpty())
	g.Expect(noRoom(memory, instances, []int{2, 1})).To(Equal("2 clusters with 5 nodes together need 8.0 GiB of memory, the engine has 7.0 GiB"))
	memory.Value = 64 * gib
	g.Expect(noRoom(memory, instances, []int{2, 1})).To(Equal("2 clusters with 5 nodes together need 210 inotify instances, the limit is 168: raise it, with: sudo sysctl fs.inotify.max_user_instances=512"))
	g.Expect(noRoom(memory, instances, []int{4, 4, 4})).To(HaveSuffix("max_user_instances=630"))
}

func TestNoRoomIgnoresWhatCannotBeRead(t *testing.T) {
	unknown := errors.New("no such file")
	NewWithT(t).Expect(noRoom(Reading[uint64]{Err: unknown}, Reading[int]{Err: unknown}, []int{4, 4})).To(BeEmpty())
}
