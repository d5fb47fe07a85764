// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/kind"
)

func TestNoRoomForAnotherCluster(t *testing.T) {
	g := NewWithT(t)
	var asked [][]int
	small := func(_ context.Context, workers ...int) string {
		asked = append(asked, workers)
		return "too small"
	}
	stopped := kind.Cluster{Name: "stopped", State: "exited", Nodes: []string{"a"}}
	g.Expect(checkRoom(t.Context(), []kind.Cluster{stopped}, 4, small)).To(Succeed())
	g.Expect(asked).To(BeEmpty(), "the only running cluster")

	running := kind.Cluster{Name: "mine", State: "running", Nodes: []string{"mine-control-plane", "mine-worker", "mine-worker2"}}
	err := checkRoom(t.Context(), []kind.Cluster{running, stopped}, 4, small)
	g.Expect(err).To(MatchError(`no room for another cluster: too small; or delete one, such as by "draconform cluster delete mine"`))
	g.Expect(asked).To(Equal([][]int{{4, 2}}))

	asked = nil
	g.Expect(checkRoom(t.Context(), []kind.Cluster{running}, 0, small)).NotTo(Succeed())
	g.Expect(asked).To(Equal([][]int{{kind.DefaultWorkers, 2}}), "no number given")

	large := func(context.Context, ...int) string { return "" }
	g.Expect(checkRoom(t.Context(), []kind.Cluster{running}, 4, large)).To(Succeed())
}
