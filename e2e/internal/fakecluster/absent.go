package fakecluster

import (
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
)

// wipeDelay is how long a kubelet keeps the slices of a driver that has left: long
// enough for a pod to be scheduled meanwhile.
const wipeDelay = 1500 * time.Millisecond

// absence is a driver that is not on its node.
type absence struct {
	since time.Time
	// wiped are the slices that the kubelet has removed.
	wiped []*resourceapi.ResourceSlice
}

// StopDriver takes the driver off a node.
func (c *Cluster) StopDriver(node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.absent[node] = &absence{since: time.Now()}
	return nil
}

// StartDriver brings the driver back, which publishes what is gone.
func (c *Cluster) StartDriver(node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.absent[node]
	if a == nil {
		return nil
	}
	delete(c.absent, node)
	c.restarts[restartable{"driver", node}]++
	c.driverOn(node).calls, c.driverOn(node).faults = nil, nil
	c.changes++
	if c.Mistakes.NeverRepublishes {
		return nil
	}
	for _, slice := range a.wiped {
		if err := c.clientset.Tracker().Create(slicesOf, slice, ""); err != nil {
			return err
		}
	}
	return nil
}

// IsStopped reports whether the driver is not on a node.
func (c *Cluster) IsStopped(node string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.absent[node] != nil
}

// notThere is why a kubelet cannot call the driver of its node, or nothing.
func (c *Cluster) notThere(node string) error {
	switch {
	case c.absent[node] == nil:
		return nil
	case c.Mistakes.NamesNoDriver:
		return fmt.Errorf("a driver is not registered")
	}
	return fmt.Errorf("driver %s is not registered", c.Driver)
}

// wipe removes the slices of drivers that have left their nodes.
func (c *Cluster) wipe() error {
	for node, a := range c.absent {
		if a.wiped != nil || c.Mistakes.KeepsSlices || time.Since(a.since) < wipeDelay {
			continue
		}
		all, err := c.slices()
		if err != nil {
			return err
		}
		a.wiped = slices.DeleteFunc(all, func(s *resourceapi.ResourceSlice) bool {
			return s.Spec.Driver != c.Driver || s.Spec.NodeName == nil || *s.Spec.NodeName != node
		})
		for _, slice := range a.wiped {
			if err := c.remove(slicesOf, slice); err != nil {
				return err
			}
		}
		c.changes++
	}
	return nil
}
