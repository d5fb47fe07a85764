// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Lateness is how much later than pods a scheduler observes other objects, and how late a
// controller reacts. Schedulers watch each kind of objects by itself, so that no order is
// certain between kinds.
type Lateness struct {
	// Offers is that of ResourceSlices, DeviceTaintRules, DeviceClasses and nodes.
	Offers time.Duration
	// Releases is that of claims that are deallocated or deleted. A scheduler knows
	// what it has allocated itself.
	Releases time.Duration
	// Controller is that of the controller which frees claims whose pods are gone, and
	// lets those end that are deleted.
	Controller time.Duration
	// Collector is that of the garbage collector, which deletes claims whose owners are gone.
	Collector time.Duration
}

// late is what a scheduler with a [Lateness] has observed.
type late struct {
	// offers are those that it has observed last, and the later ones.
	offers []offers
	// held are the claims that were allocated when they were seen last, and released
	// the times since when they are not.
	held     map[types.UID]*resourceapi.ResourceClaim
	released map[types.UID]time.Time
	// observations counts what it has observed late.
	observations int
}

// hasObserved reports whether a controller that is so late has observed something about a claim.
func (c *Cluster) hasObserved(late time.Duration, what string, claim *resourceapi.ResourceClaim) bool {
	return c.dueAfter(late, what+" of the claim with the UID "+string(claim.UID), key(claim))
}

// offers are the objects that devices are allocated from.
type offers struct {
	at      time.Time
	changes int
	slices  []*resourceapi.ResourceSlice
	classes []*resourceapi.DeviceClass
	nodes   []*corev1.Node
}

// observeLate records what a scheduler with a lateness will observe, and makes it
// observe what is due.
func (c *Cluster) observeLate() error {
	return errors.Join(c.observeOffers(), c.observeReleases())
}

func (c *Cluster) observeOffers() error {
	l := &c.scheduler.late
	if c.Late.Offers == 0 {
		return nil
	}
	changes := c.changes[slicesOf] + c.changes[taintRulesOf] + c.changes[classesOf] + c.changes[nodesOf]
	if len(l.offers) == 0 || l.offers[len(l.offers)-1].changes != changes {
		now, err := c.offers()
		if err != nil {
			return err
		}
		now.at, now.changes = time.Now(), changes
		l.offers = append(l.offers, now)
	}
	for len(l.offers) > 1 && time.Since(l.offers[1].at) >= c.Late.Offers {
		l.offers = l.offers[1:]
		l.observations++
	}
	return nil
}

// offers returns the current offers.
func (c *Cluster) offers() (offers, error) {
	published, slicesErr := c.publishedSlices()
	classes, classesErr := listOf[resourceapi.DeviceClass](c, classesOf, "DeviceClass")
	nodes, nodesErr := listOf[corev1.Node](c, nodesOf, "Node")
	return offers{slices: published, classes: classes, nodes: nodes}, errors.Join(slicesErr, classesErr, nodesErr)
}

// observedOffers returns the offers that the scheduler has observed.
func (c *Cluster) observedOffers() (offers, error) {
	if c.Late.Offers == 0 {
		return c.offers()
	}
	observed := c.scheduler.late.offers[0]
	if len(c.scheduler.faults) > 0 {
		// Faults change the slices.
		observed.slices = slices.Clone(observed.slices)
		for i, slice := range observed.slices {
			observed.slices[i] = slice.DeepCopy()
		}
	}
	return observed, nil
}

func (c *Cluster) observeReleases() error {
	l := &c.scheduler.late
	if c.Late.Releases == 0 {
		return nil
	}
	all, err := c.claims()
	if err != nil {
		return err
	}
	allocated := map[types.UID]bool{}
	for _, claim := range all {
		if claim.Status.Allocation != nil {
			allocated[claim.UID], l.held[claim.UID] = true, claim
			delete(l.released, claim.UID)
		}
	}
	for uid := range l.held {
		since, known := l.released[uid]
		switch {
		case allocated[uid]:
		case !known:
			l.released[uid] = time.Now()
		case time.Since(since) >= c.Late.Releases:
			delete(l.held, uid)
			delete(l.released, uid)
			l.observations++
		}
	}
	return nil
}

// stillHeld returns the claims whose release the scheduler has not observed yet, except
// those that it allocates now.
func (c *Cluster) stillHeld(own []*resourceapi.ResourceClaim) []*resourceapi.ResourceClaim {
	var held []*resourceapi.ResourceClaim
	for uid, claim := range c.scheduler.late.held {
		_, released := c.scheduler.late.released[uid]
		if released && !slices.ContainsFunc(own, func(o *resourceapi.ResourceClaim) bool { return o.UID == uid }) {
			held = append(held, claim)
		}
	}
	return held
}
