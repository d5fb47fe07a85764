// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
)

// requests has the requested amounts of capacity.
type requests = map[resourceapi.QualifiedName]resource.Quantity

// use is a device in a driver file, with the devices of the driver that it
// selects.
type use struct {
	field string
	*driverfile.Device
	// needs are the features without which the API server drops what devices of the
	// role publish, or schedulers do not allocate them.
	needs []features.Feature
	// wrong describes devices that do not suit the role. It returns an empty
	// string for others.
	wrong    func(*published.Device) string
	selected []*published.Device
}

// requested returns the capacity of the use with expanded names.
func (u *use) requested(d *driverfile.Driver) requests {
	all := requests{}
	for name, amount := range u.Capacity {
		all[resourceapi.QualifiedName(d.Expand(name))] = amount
	}
	return all
}

// uses are the devices in a driver file by role.
type uses struct {
	exclusive, exclusiveWhole *use
	small, big, whole         *use
	mix, full                 []*use
	share, pair, quad         *use
}

func (u *uses) all() []*use {
	all := append([]*use{u.exclusive, u.exclusiveWhole, u.whole, u.small, u.big}, u.mix...)
	all = append(append(all, u.full...), u.share, u.pair, u.quad)
	return slices.DeleteFunc(all, func(u *use) bool { return u == nil })
}

func usesOf(d *driverfile.Driver) *uses {
	u := &uses{}
	roles := d.Roles
	whole := func(role string, p *driverfile.Parents, needs []features.Feature) *use {
		if p == nil {
			return nil
		}
		return &use{field: role + ".parents.whole", Device: &p.Whole, needs: needs, wrong: notExclusive}
	}
	if e := roles.Exclusive; e != nil {
		u.exclusive = &use{field: "roles.exclusive.device", Device: &e.Device, needs: e.Features, wrong: notExclusive}
		u.exclusiveWhole = whole("roles.exclusive", e.Parents, e.Features)
	}
	partitions := []features.Feature{features.Partitions}
	if p := roles.Partitions; p != nil {
		u.whole = whole("roles.partitions", p.Parents, partitions)
		u.small = &use{field: "roles.partitions.small", Device: &p.Small, needs: partitions, wrong: noPartition}
		if p.Big != nil {
			u.big = &use{field: "roles.partitions.big", Device: p.Big, needs: partitions, wrong: noPartition}
		}
		u.mix, u.full = list("roles.partitions.mix", p.Mix), list("roles.partitions.full", p.Full)
	}
	if s := roles.Shared; s != nil {
		u.share = &use{field: "roles.shared.share", Device: &s.Share, needs: []features.Feature{features.SharedDevices}, wrong: notShared}
	}
	if m := roles.MultiHost; m != nil {
		u.pair = &use{field: "roles.multiHost.pair", Device: &m.Pair, needs: partitions, wrong: notOver(2)}
		if m.Quad != nil {
			u.quad = &use{field: "roles.multiHost.quad", Device: m.Quad, needs: partitions, wrong: notOver(4)}
		}
	}
	return u
}

func list(field string, devices []driverfile.Device) []*use {
	var all []*use
	for i := range devices {
		all = append(all, &use{field: fmt.Sprintf("%s[%d]", field, i), Device: &devices[i], needs: []features.Feature{features.Partitions}, wrong: noPartition})
	}
	return all
}

func notExclusive(d *published.Device) string {
	switch {
	case d.Shared():
		return "has allowMultipleAllocations, so that several claims can have it"
	case d.MultiHost():
		return "spans several nodes"
	}
	return ""
}

func noPartition(d *published.Device) string {
	if len(d.ConsumesCounters) == 0 {
		return "consumes no shared counters, so that it is no partition (KEP-4815)"
	}
	return notExclusive(d)
}

func notShared(d *published.Device) string {
	if !d.Shared() {
		return "does not have allowMultipleAllocations"
	}
	return ""
}

func notOver(nodes int) func(*published.Device) string {
	return func(d *published.Device) string {
		if n := len(d.Nodes); n != nodes || d.AllNodes {
			return fmt.Sprintf("can be used on %d known nodes, not %d", n, nodes)
		}
		return ""
	}
}

// isSupported reports whether the cluster has the features that a use needs. The API
// server drops parts of what drivers publish without them, so that nothing can be
// said about the use.
func (c *checker) isSupported(u *use) bool {
	if c.Features == nil {
		return true // They are not known.
	}
	missing := c.Features.Missing(u.needs)
	if missing != "" {
		c.report(Warning, "feature", u.field, "%s: specs that use it are not supported by the cluster", missing)
	}
	return missing == ""
}

// checkRequest checks what a use selects, and reports whether it selects
// devices that suit the role.
func (c *checker) checkRequest(u *use) (bool, error) {
	expressions, ok := c.classExpressions(u)
	if !ok {
		return false, nil
	}
	var all []*published.Device
	for _, d := range c.drivers {
		all = append(all, d.Devices...)
	}
	for _, selector := range u.Selectors {
		expressions = append(expressions, c.file.Expand(selector))
	}
	selection, err := published.Select(c.ctx, all, expressions...)
	if c.ctx.Err() != nil {
		return false, fmt.Errorf("evaluate selectors of %s: %w", u.field, c.ctx.Err())
	}
	if err != nil {
		c.report(Problem, "selector", u.field, "%v", err)
		return false, nil
	}
	before := len(c.found)
	if failed := selection.Failed; failed != nil {
		c.report(Problem, "selector", u.field, "the selectors fail on %d devices, such as %s of driver %s: %v. "+
			"A scheduler that considers such a device does not schedule the pod: check with \"in\" that an attribute exists, and device.driver first", selection.FailedCount, failed.ID(), failed.Driver, selection.Err)
	}
	for _, d := range selection.Selected {
		if d.Driver == c.file.Name {
			u.selected = append(u.selected, d)
		} else if len(c.found) == before {
			c.report(Problem, "selector", u.field, "the class and the selectors also select devices of other drivers, such as %s of %s: add the selector device.driver == %q", d.ID(), d.Driver, c.file.Name)
		}
	}
	if len(u.selected) == 0 {
		c.report(Problem, "selector", u.field, "the class and the selectors select none of the %d devices of the driver: compare them with \"kubectl get resourceslices -o yaml\"", len(c.driver.Devices))
	}
	for _, d := range u.selected {
		if why := u.wrong(d); why != "" {
			c.report(Problem, "selector", u.field, "selects device %s, which %s: restrict the selectors, or use the devices for another role", d.ID(), why)
			break
		}
	}
	if len(c.found) == before {
		c.report(OK, "selector", u.field, "selects %d of the %d devices of the driver", len(u.selected), len(c.driver.Devices))
	}
	return len(c.found) == before+1 && c.found[before].Result == OK, nil
}

// classExpressions returns the selectors of the class of a use. It returns
// false if there is no such class.
func (c *checker) classExpressions(u *use) ([]string, bool) {
	if u.InlineClass != nil {
		var all []string
		for _, selector := range u.InlineClass.Selectors {
			all = append(all, c.file.Expand(selector))
		}
		return all, true
	}
	name := c.file.Expand(u.Class)
	i := slices.IndexFunc(c.objects.Classes, func(class *resourceapi.DeviceClass) bool { return class.Name == name })
	if i >= 0 {
		return published.Expressions(c.objects.Classes[i]), true
	}
	c.report(Problem, "class", u.field, "DeviceClass %s does not exist: create it, use inlineClass, or %s", name, c.otherClasses())
	return nil, false
}

// otherClasses describes the classes that select devices of the driver.
func (c *checker) otherClasses() string {
	var names []string
	for _, class := range c.objects.Classes {
		selection, err := published.Select(c.ctx, c.driver.Devices, published.Expressions(class)...)
		if err == nil && selection.FailedCount == 0 && len(selection.Selected) > 0 {
			names = append(names, class.Name)
		}
	}
	slices.SortFunc(names, cmp.Compare)
	if len(names) == 0 {
		return "ask the vendor for one, because no class selects devices of the driver"
	}
	return "use one that selects devices of the driver: " + strings.Join(names, ", ")
}
