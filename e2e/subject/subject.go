// Package subject describes drivers as specs may use them: what to ask for, and
// how a container sees what it was given. Specs never name a driver.
package subject

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
)

// Subject is what specs use: devices of several kinds, of one driver or of
// several. A kind that is not offered is nil.
type Subject struct {
	Exclusive  *Exclusive
	Partitions *Partitions
	MultiHost  *MultiHost
	Shared     *Shared
	// Seen reads which devices a container was given from the log of the
	// workload image.
	Seen func(log []byte) ([]audit.DeviceID, error)
}

// Selector is a CEL expression over a device, as in a request's selectors.
type Selector string

// Device says how to ask for one device.
type Device struct {
	// Driver is the name of the DRA driver that offers it.
	Driver string
	// Class is the DeviceClass of the request.
	Class string
	// Selector narrows the class.
	Selector Selector
	// Capacity is what is requested of a device that claims share.
	Capacity map[resourceapi.QualifiedName]resource.Quantity
}

// Kind is a kind of devices.
type Kind string

// The kinds of devices.
const (
	// KindExclusive are devices that one claim has for itself.
	KindExclusive Kind = "exclusive"
	// KindPartition are partitions of a device (KEP-4815).
	KindPartition Kind = "partition"
	// KindMultiHost are devices that belong to several nodes (KEP-4815).
	KindMultiHost Kind = "multi-host"
	// KindShared are devices that claims share (KEP-5075).
	KindShared Kind = "shared"
)

// Parents are what devices are, or are parts of.
type Parents struct {
	// Parent is the qualified name of the string attribute that is equal for
	// a whole device and all its parts, and for nothing else.
	Parent string
	// Whole selects whole devices. One can be allocated while nothing of its
	// parent is.
	Whole Device
}

// Exclusive are devices that one claim has for itself, whatever they are.
type Exclusive struct {
	// Parents are the devices themselves, if they are parts of nothing.
	Parents
	// Device selects devices, several of which a node has: at least four.
	Device Device
	// Needs are the features that a cluster needs for these devices, beside the
	// API itself.
	Needs []features.Feature
}

// Partitions are devices that share the counters of one parent (KEP-4815).
type Partitions struct {
	Parents
	// Profile is the qualified name of the attribute that is equal for
	// partitions of one kind and differs between kinds.
	Profile string
	// Small selects partitions of one kind, several of which fit a parent.
	Small Device
	// Big selects partitions of another kind. Two of them fit a parent, or one
	// beside one of Small.
	Big Device
	// Mix are partitions of different kinds that fit one parent together.
	Mix []Device
	// Full are partitions that fit one parent together and use it up so far
	// that Small does not fit any more.
	Full []Device
}

// MultiHost are devices of which each of several nodes has a part, so that a
// pod on each of them uses one claim.
type MultiHost struct {
	// Pair selects devices over two nodes, several of which there are.
	Pair Device
	// Quad selects devices over four nodes.
	Quad Device
	// Part reads what a container was given of its device from the log of the
	// workload image.
	Part func(log []byte) (Part, error)
}

// Part is what one node has of a device that several nodes have.
type Part struct {
	// Nodes are all nodes of the device, in an order that is the same for all
	// containers.
	Nodes []string
	// Node is the one whose part it is.
	Node string
	// Pieces are what the node has of the device; no other node has one of
	// the same name.
	Pieces []string
}

// Shared are devices of which several claims can have a share.
type Shared struct {
	// Share selects a share so small that several fit one device.
	Share Device
	// Identity is the qualified name of a string attribute that no two devices
	// have the same value of.
	Identity string
	// Apart are two values that may not meet on a device (KEP-5981); nil if there
	// are none.
	Apart *Apart
}

// Apart is what claims state whom a driver keeps from sharing a device.
type Apart struct {
	// Keys are what they state different values for.
	Keys []string
	// One and Other are how two claims state that.
	One, Other resourceapi.DeviceConfiguration
	// Contradicts are parameters for the driver that do not agree with One, if a
	// claim has both.
	Contradicts resourceapi.DeviceConfiguration
}

// Drivers are the names of the drivers, sorted.
func (s Subject) Drivers() []string {
	var names []string
	if s.Exclusive != nil {
		names = append(names, s.Exclusive.Device.Driver)
	}
	if s.Partitions != nil {
		names = append(names, s.Partitions.Small.Driver)
	}
	if s.MultiHost != nil {
		names = append(names, s.MultiHost.Pair.Driver)
	}
	if s.Shared != nil {
		names = append(names, s.Shared.Share.Driver)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Only is the subject without devices of other kinds.
func (s Subject) Only(kinds []Kind) Subject {
	only := Subject{Seen: s.Seen}
	for _, kind := range kinds {
		switch kind {
		case KindExclusive:
			only.Exclusive = s.Exclusive
		case KindPartition:
			only.Partitions = s.Partitions
		case KindMultiHost:
			only.MultiHost = s.MultiHost
		case KindShared:
			only.Shared = s.Shared
		}
	}
	return only
}

// Missing returns which of the needed kinds is not offered, or nothing.
func (s Subject) Missing(needed []Kind) string {
	offered := map[Kind]bool{
		KindExclusive: s.Exclusive != nil, KindPartition: s.Partitions != nil, KindMultiHost: s.MultiHost != nil, KindShared: s.Shared != nil,
	}
	for _, kind := range needed {
		if !offered[kind] {
			return fmt.Sprintf("no driver offers devices of the kind %s", kind)
		}
	}
	return ""
}

// Needs are the features that a cluster needs for devices of some kinds, beside
// what whoever uses them needs.
func (s Subject) Needs(kinds []Kind) []features.Feature {
	if s.Exclusive == nil || !slices.Contains(kinds, KindExclusive) {
		return nil
	}
	return s.Exclusive.Needs
}

// OfParent narrows a request to devices of one parent.
func (p Parents) OfParent(device Device, parent string) Device {
	return device.with(p.Parent, parent)
}

// Of narrows a share to that of one device.
func (s Shared) Of(identity string) Device { return s.Share.with(s.Identity, identity) }

// with narrows a request to devices with a value of a string attribute.
func (d Device) with(attribute, value string) Device {
	domain, name := split(attribute)
	d.Selector = Selector(fmt.Sprintf("(%s) && device.attributes[%q].%s == %q", d.Selector, domain, name, value))
	return d
}

// split takes a qualified name apart.
func split(qualified string) (domain, name string) {
	for i := range qualified {
		if qualified[i] == '/' {
			return qualified[:i], qualified[i+1:]
		}
	}
	return "", qualified
}
