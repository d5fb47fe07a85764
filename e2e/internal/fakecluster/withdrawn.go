// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/topology"
)

// withdrawn is what the controller of multi-host devices knows about withdrawn nodes.
type withdrawn struct {
	// readAt is the number of changes of nodes at which it has read them.
	readAt int
	// hosts are those that are missing in what it has published, ascending.
	hosts []int
}

// publishHosts lets the controller of multi-host devices publish them when a node was
// withdrawn from the driver or comes back.
func (c *Cluster) publishHosts() error {
	if c.TPU == "" || c.changes[nodesOf] == c.withdrawn.readAt {
		return nil
	}
	hosts, err := c.withdrawnHosts()
	if err != nil {
		return err
	}
	if c.Mistakes.WithdrawsOne && len(hosts) > 1 {
		hosts = slices.DeleteFunc(hosts, func(host int) bool { return slices.Contains(c.withdrawn.hosts, host) })
	}
	if c.Mistakes.ReturnsAll && len(hosts) < len(c.withdrawn.hosts) {
		hosts = nil
	}
	ignores := c.Mistakes.KeepsFirstHosts || c.Mistakes.KeepsWithdrawn && len(hosts) < len(c.withdrawn.hosts)
	if ignores || slices.Equal(hosts, c.withdrawn.hosts) {
		c.withdrawn.readAt = c.changes[nodesOf]
		return nil
	}
	const action = "publish without"
	change := types.NamespacedName{Name: fmt.Sprint(hosts)}
	if !c.due(action, change) {
		return nil
	}
	delete(c.since, action+" "+change.String()) // A later change of this kind takes its time, too.
	c.withdrawn.readAt, c.withdrawn.hosts = c.changes[nodesOf], hosts
	return c.republishHosts()
}

// withdrawnHosts returns the numbers of the hosts whose nodes are withdrawn.
func (c *Cluster) withdrawnHosts() ([]int, error) {
	nodes, err := listOf[corev1.Node](c, nodesOf, "Node")
	var hosts []int
	for host := range c.Nodes {
		if slices.ContainsFunc(nodes, func(n *corev1.Node) bool {
			_, is := n.Labels[topology.WithdrawnLabel(c.TPU)]
			return is && n.Name == nodeName(host)
		}) {
			hosts = append(hosts, host)
		}
	}
	return hosts, err
}

// republishHosts changes the ResourceSlices of the multi-host driver.
func (c *Cluster) republishHosts() error {
	wanted, err := multiHostSlices(c.Options, c.withdrawn.hosts)
	if err != nil {
		return err
	}
	stored, err := c.slicesOn(c.TPU, "")
	if err != nil {
		return err
	}
	if c.Mistakes.LeavesFormerPool {
		if err := c.leaveFormerPool(stored); err != nil {
			return err
		}
	}
	generation := stored[0].Spec.Pool.Generation
	if c.TaintsWithdrawn {
		generation++
	}
	for _, slice := range wanted {
		slice.Spec.Pool.Generation = generation
		i := slices.IndexFunc(stored, func(s *resourceapi.ResourceSlice) bool { return s.Name == slice.Name })
		switch {
		case i < 0:
			err = c.store(slicesOf, slice)
		case !equality.Semantic.DeepEqual(stored[i].Spec, slice.Spec):
			stored[i].Spec = slice.Spec
			err = c.update(slicesOf, stored[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaveFormerPool stores copies of ResourceSlices in another pool, unless it has some.
func (c *Cluster) leaveFormerPool(stored []*resourceapi.ResourceSlice) error {
	const former = "-former"
	if slices.ContainsFunc(stored, func(s *resourceapi.ResourceSlice) bool { return s.Spec.Pool.Name == multiHostTopology+former }) {
		return nil
	}
	for _, slice := range stored {
		left := slice.DeepCopy()
		left.Name += former
		left.Spec.Pool.Name += former
		if err := c.store(slicesOf, left); err != nil {
			return err
		}
	}
	return nil
}
