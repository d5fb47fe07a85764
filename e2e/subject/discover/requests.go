// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
)

// class is a DeviceClass with the devices of the driver that it selects.
type class struct {
	name     string
	selected []*published.Device
	// foreign is the number of devices of other drivers that it selects.
	foreign int
}

// requests finds requests for devices of a driver.
type requests struct {
	driver *published.Driver
	terms  []term
	// classes are the classes that select any device of the driver.
	classes []class
	// unusable has sentences about classes that cannot be used.
	unusable []string
}

// newRequests evaluates the classes for the devices of all drivers.
func newRequests(ctx context.Context, driver *published.Driver, drivers []*published.Driver, classes []*resourceapi.DeviceClass) (*requests, error) {
	r := &requests{driver: driver, terms: terms(driver, driver.Devices)}
	var all []*published.Device
	for _, d := range drivers {
		all = append(all, d.Devices...)
	}
	for _, c := range classes {
		selection, err := published.Select(ctx, all, published.Expressions(c)...)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("evaluate DeviceClass %s: %w", c.Name, ctx.Err())
		}
		own := filter(selection.Selected, func(d *published.Device) bool { return d.Driver == driver.Name })
		switch failed := selection.Failed; {
		case err != nil:
			r.unusable = append(r.unusable, fmt.Sprintf("DeviceClass %s is not used: %v", c.Name, err))
		case failed != nil && (len(own) > 0 || failed.Driver == driver.Name):
			r.unusable = append(r.unusable, fmt.Sprintf("DeviceClass %s is not used: its selectors fail on device %s of driver %s: %v", c.Name, failed.ID(), failed.Driver, selection.Err))
		case len(own) > 0:
			r.classes = append(r.classes, class{c.Name, own, len(selection.Selected) - len(own)})
		}
	}
	return r, nil
}

// request is a request for devices.
type request struct {
	driverfile.Device
	// selected are the devices that the request selects.
	selected []*published.Device
	// why states what the class rests on.
	why string

	// restricted states that the request has a selector of its own, size is the
	// number of devices in the class, and foreign states that the class has
	// devices of other drivers.
	restricted bool
	size       int
	foreign    bool
}

// method finds a condition for wanted devices that holds for none of the
// others.
type method func(all []term, want, others []*published.Device) (term, bool)

// find returns the best request for the wanted devices: in a class of the
// cluster if one has them all, with as few selectors as possible. If nothing
// tells them from all other devices, the request is for some of them.
func (r *requests) find(want []*published.Device) (request, bool) {
	for _, how := range []method{exact, narrow} {
		var found []request
		for _, c := range r.classes {
			if q, ok := r.inClass(c, want, how); ok {
				found = append(found, q)
			}
		}
		if len(found) > 0 {
			return slices.MinFunc(found, r.compare), true
		}
		if q, ok := r.inline(want, how); ok {
			return q, true
		}
	}
	return request{}, false
}

// compare orders requests by how well they suit.
func (r *requests) compare(a, b request) int {
	return cmp.Or(
		cmp.Compare(toInt(a.foreign), toInt(b.foreign)),
		cmp.Compare(len(b.selected), len(a.selected)),
		cmp.Compare(toInt(a.restricted), toInt(b.restricted)),
		cmp.Compare(a.size, b.size),
		cmp.Compare(toInt(!strings.Contains(a.Class, r.driver.Name)), toInt(!strings.Contains(b.Class, r.driver.Name))),
		cmp.Compare(a.Class, b.Class),
	)
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *requests) inClass(c class, want []*published.Device, how method) (request, bool) {
	if len(without(want, c.selected)) > 0 {
		return request{}, false
	}
	q := request{Device: driverfile.Device{Class: c.name}, selected: want, size: len(c.selected), foreign: c.foreign > 0}
	q.why = fmt.Sprintf("DeviceClass %s selects %d of the %d devices of the driver", c.name, len(c.selected), len(r.driver.Devices))
	if q.foreign {
		q.Selectors = []string{r.ofDriver()}
		q.why += fmt.Sprintf(", and %d of other drivers", c.foreign)
	}
	t, ok := r.restrict(&q, c.selected, how)
	q.Selectors = append(q.Selectors, t...)
	return q, ok
}

// inline returns a request with a class that the run creates.
func (r *requests) inline(want []*published.Device, how method) (request, bool) {
	q := request{selected: want, why: "no DeviceClass selects all of these devices, so that a run creates one and deletes it"}
	t, ok := r.restrict(&q, r.driver.Devices, how)
	q.InlineClass = &driverfile.InlineClass{Selectors: append([]string{r.ofDriver()}, t...)}
	return q, ok
}

// restrict returns the selectors that tell the wanted devices from others, at
// most one. The request is then for those that the selector matches.
func (r *requests) restrict(q *request, among []*published.Device, how method) ([]string, bool) {
	others := without(among, q.selected)
	if len(others) == 0 {
		return nil, true
	}
	t, ok := how(r.terms, q.selected, others)
	if !ok {
		return nil, false
	}
	q.selected, q.restricted = filter(q.selected, t.matches), true
	return []string{t.expression}, true
}

func (r *requests) ofDriver() string { return fmt.Sprintf("device.driver == %q", r.driver.Name) }
