// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// Devices are what a spec uses at the same time on one node.
type Devices struct {
	Kinds  []subject.Kind
	Fields []subject.Field
	// Count is the number of exclusive devices. Zero means 1.
	Count int64
	// Together states that devices of several kinds have to be on the same node.
	Together bool
}

// need is a number of devices that have to be free on one node.
type need struct {
	device subject.Device
	count  int64
	// also are further devices, which a claim has in addition.
	also []need
}

// claim returns a claim for a number of the devices, with the API's defaults.
func (n need) claim(count int64) *resourceapi.ResourceClaim {
	of := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: n.device, Count: count}})
	for i, more := range n.also {
		name := fmt.Sprintf("also-%d", i)
		of.Requests = append(of.Requests, devices.NewDeviceClaim([]devices.Request{{Name: name, Device: more.device, Count: more.count}}).Requests...)
	}
	for _, request := range of.Requests {
		exactly := request.Exactly
		exactly.AllocationMode, exactly.Count = resourceapi.DeviceAllocationModeExactCount, max(exactly.Count, 1)
	}
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "room", UID: "room"}, Spec: resourceapi.ResourceClaimSpec{Devices: of}}
}

func (n need) String() string {
	text := fmt.Sprintf("%d free devices of class %s (driver %s) on one node", n.count, n.device.Class, n.device.Driver)
	if n.count == 1 {
		text = fmt.Sprintf("a free device of class %s (driver %s)", n.device.Class, n.device.Driver)
	}
	if n.device.Selector != "" {
		text += fmt.Sprintf(" with %s", n.device.Selector)
	}
	for _, more := range n.also {
		text += " and, on the same node, " + more.String()
	}
	return text
}

// drivers returns the drivers of the devices.
func (n need) drivers() []string {
	all := []string{n.device.Driver}
	for _, more := range n.also {
		all = append(all, more.device.Driver)
	}
	return all
}

// needs returns the devices that a spec needs. Specs with partitions need a
// whole parent if there is a request for one: they use up its counters.
func (d Devices) needs(s subject.Subject) []need {
	var all []need
	for _, kind := range d.Kinds {
		device, ok := s.DeviceOf(kind)
		if !ok {
			continue
		}
		n := need{device: device, count: 1}
		switch {
		case kind == subject.KindExclusive:
			n.count = max(d.Count, 1)
		case kind == subject.KindPartition && s.Has(subject.PartitionParents):
			n.device = s.Partitions.Whole
		case kind == subject.KindMultiHost && slices.Contains(d.Fields, subject.MultiHostQuad):
			n.device = s.MultiHost.Quad
		}
		all = append(all, n)
	}
	if d.Together && len(all) > 1 {
		all[0].also = all[1:]
		return all[:1]
	}
	return all
}

// poll is the interval between two looks at which devices are free. It is long
// because the lists are large.
const poll = 2 * time.Second

// WaitForDevices waits until the devices that a spec needs are free on a node
// that its pods can run on. It returns why that is not the case: either there
// are too few, or claims of others hold them for longer than limit. Claims of
// this run do not count: if they hold devices that nothing uses any more, the
// spec must fail. Nor is it an excuse that the driver publishes pools that
// schedulers do not use, unless it completes them within the limit.
func (g *Guest) WaitForDevices(ctx context.Context, e *env.Env, d Devices, limit time.Duration) (lacking string, err error) {
	g.usable, e.FreeNodes = nil, map[string]string{}
	for _, n := range d.needs(e.Subject) {
		if lacking, err = g.waitFor(ctx, e, n, limit); lacking != "" || err != nil {
			return lacking, err
		}
	}
	return "", nil
}

func (g *Guest) waitFor(ctx context.Context, e *env.Env, n need, limit time.Duration) (string, error) {
	var found availability
	begun := time.Now()
	// The limit does not end a look, so that there is always one result.
	err := wait.PollUntilContextTimeout(ctx, poll, limit, true, func(context.Context) (bool, error) {
		s, err := takeSnapshot(ctx, g.config.Client)
		if err != nil {
			return false, err
		}
		if found, err = g.available(ctx, e, s, n); err != nil {
			return false, err
		}
		g.usable = append(g.usable, found.usable...)
		// The only node of a process has the devices. After a restart by another spec
		// its drivers may not have published all of them again.
		absent := !found.possible && !found.broken && e.Node == ""
		// Without a change, another spec has waited for the same devices in vain.
		return found.enough || absent || g.inVain[n.String()] == found.text, nil
	})
	switch {
	case found.enough:
		delete(g.inVain, n.String())
		return "", nil
	case err != nil && (ctx.Err() != nil || !wait.Interrupted(err)):
		return "", err
	case found.broken:
		g.inVain[n.String()] = found.text
		return "", nil
	case !found.possible:
		return fmt.Sprintf("needs %s; %s", n, found.text), nil
	}
	g.inVain[n.String()] = found.text
	return fmt.Sprintf("needs %s, which neighbours did not release within %s; %s", n, time.Since(begun).Round(time.Second), found.text), nil
}

// availability is which devices are free.
type availability struct {
	// enough is set if a node has what is needed. possible is set if a node had
	// it without the claims of others.
	enough, possible bool
	// broken is set if schedulers do not use a pool of the driver.
	broken bool
	// text describes the nodes.
	text string
	// usable are the nodes with devices that pods can run on.
	usable []string
}

// available finds out whether a node has what is needed.
func (g *Guest) available(ctx context.Context, e *env.Env, s *snapshot, n need) (availability, error) {
	var a availability
	var texts, unusable []string
	offered, err := s.offered(ctx, n.device.Driver)
	if err != nil {
		return a, err
	}
	for _, node := range s.objects.Nodes {
		if !offered.has(node) {
			continue
		}
		if why := unusableFor(e, node, n.drivers()); why != "" {
			unusable = append(unusable, fmt.Sprintf("node %s cannot be used: %s", node.Name, why))
			continue
		}
		a.usable = append(a.usable, node.Name)
		free, err := s.most(ctx, node, g.isOther, n)
		if err != nil {
			return a, err
		}
		if free == n.count {
			a.enough = true
			for _, driver := range n.drivers() {
				e.FreeNodes[driver] = node.Name
			}
			return a, nil
		}
		total, err := s.most(ctx, node, none, n)
		if err != nil {
			return a, err
		}
		a.possible = a.possible || total == n.count
		texts = append(texts, describeNode(node, free, total, s.holding(node, offered, g.isOther)))
	}
	if texts = append(texts, unusable...); len(texts) == 0 {
		texts = []string{fmt.Sprintf("no node has devices of driver %s", n.device.Driver)}
	}
	broken := offered.unusablePools()
	a.broken = len(broken) > 0
	texts = append(texts, broken...)
	a.text = strings.Join(texts, "; ")
	return a, nil
}

// unusableFor states why pods with devices of several drivers cannot run on a node. It is
// empty if they can.
func unusableFor(e *env.Env, node *corev1.Node, drivers []string) string {
	for _, driver := range drivers {
		if why := e.Unusable(node, driver); why != "" {
			return why
		}
	}
	return ""
}

func describeNode(node *corev1.Node, free, total int64, holders []string) string {
	if free == total {
		return fmt.Sprintf("node %s has %d", node.Name, total)
	}
	return fmt.Sprintf("node %s has %d, %d are held by %s", node.Name, total, total-free, describeClaims(holders))
}

// maxNames is how many claims a message names.
const maxNames = 5

func describeClaims(names []string) string {
	if len(names) == 0 {
		return "claims of others"
	}
	more := ""
	if len(names) > maxNames {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	word := "claims"
	if len(names) == 1 {
		word = "claim"
	}
	return word + " " + strings.Join(names, ", ") + more
}

// isOther reports whether a claim belongs to neighbours.
func (g *Guest) isOther(claim *resourceapi.ResourceClaim) bool { return !g.isOurs(claim) }

// isOurs reports whether a claim belongs to this run, in whichever namespace.
// Claims that an earlier spec of the run has left behind do, also those of other
// processes.
func (g *Guest) isOurs(claim *resourceapi.ResourceClaim) bool {
	return labels.SelectorFromSet(g.config.Labels).Matches(labels.Set(claim.Labels))
}

func none(*resourceapi.ResourceClaim) bool { return false }
