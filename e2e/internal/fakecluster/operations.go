// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// called returns the claims for which a kubelet calls drivers to prepare them: those with a
// device that does not skip it (KEP-5945). It returns an error if such a driver does not
// run.
func (c *Cluster) called(uses []use) ([]use, error) {
	var called []use
	for _, u := range uses {
		claim, err := c.claim(u.claim)
		if err != nil {
			return nil, err
		}
		drivers := c.driversToCall(claim)
		if missing := slices.IndexFunc(drivers, func(name string) bool { return !c.runs(name) }); missing >= 0 {
			return nil, fmt.Errorf("prepare claim %s: DRA driver %s is not registered", claim.Name, drivers[missing])
		}
		if len(drivers) > 0 {
			called = append(called, u)
		} else if c.Mistakes.StopsAtSkipped {
			break
		}
	}
	return called, nil
}

// driversToCall returns the drivers that have to prepare a claim.
func (c *Cluster) driversToCall(claim *resourceapi.ResourceClaim) []string {
	skips, prepares := map[string]bool{}, map[string]bool{}
	var drivers []string
	for _, r := range claim.Status.Allocation.Devices.Results {
		if !slices.Contains(drivers, r.Driver) {
			drivers = append(drivers, r.Driver)
		}
		if c.skipsPreparing(r.SkipNodeOperations) {
			skips[r.Driver] = true
		} else {
			prepares[r.Driver] = true
		}
	}
	return slices.DeleteFunc(drivers, func(name string) bool {
		switch {
		case c.Mistakes.CallsForSkipped:
			return false
		case c.Mistakes.SkipsForOne:
			return skips[name]
		}
		return !prepares[name]
	})
}

// skipsPreparing reports whether kubelets do not have a driver prepare a device for which they
// skip these operations.
func (c *Cluster) skipsPreparing(operations []resourceapi.SkipNodeOperation) bool {
	switch {
	case c.Mistakes.KnowsNoNames:
		return slices.Contains(operations, resourceapi.SkipNodeOperationAll)
	case c.Mistakes.SkipsForAny:
		return len(operations) > 0
	}
	return slices.Contains(operations, resourceapi.SkipNodeOperationAll) || slices.Contains(operations, resourceapi.SkipNodeOperationNodePrepareResources)
}

// runs reports whether a driver runs on the nodes.
func (c *Cluster) runs(driver string) bool {
	return driver == c.Driver || driver == c.NIC || driver == c.TPU
}
