package check

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/json"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// demand is the sharing affinity that a device declares: the keys for which its
// users must state values.
type demand struct {
	keys []string
	err  error // Why the keys are unknown.
}

// affinity verifies sharing affinity (KEP-5981, revision 44f990de4). All
// holders of a device that declares keys, those with an allocation and those
// that are chosen, must state a string for each key, and the same string.
// Results with admin access do not hold a device. One holder whose values are
// unknown excludes all other claims.
//
// The rule also applies to a device without allowMultipleAllocations: its
// holder must state values. The KEP leaves that open.
func (r *Rules) affinity(choices []Choice) error {
	var errs []error
	parties := map[structured.DeviceID][]*statement{}
	for _, choice := range choices {
		device, ask := choice.Device, r.Ask(choice)
		if device.demand.err == nil && len(device.demand.keys) == 0 || ask.admin {
			continue
		}
		id := device.ID()
		if parties[id] == nil {
			parties[id] = slices.Clone(r.holders[id])
		}
		parties[id] = append(parties[id], ask.stated)
		if err := device.demand.met(parties[id]); err != nil {
			errs = append(errs, fmt.Errorf("%s: sharing affinity: %w", choice, err))
		}
	}
	return errors.Join(errs...)
}

// Packed returns the devices in the order of Config.PackSharingAffinity:
// devices that declare a sharing affinity and that active claims with the
// values of the ask hold come first.
func (r *Rules) Packed(ask *Ask) []*Device {
	var locked, others []*Device
	for _, device := range r.Devices {
		holders := r.holders[device.ID()]
		joins := len(holders) > 0 && len(device.demand.keys) > 0 && device.demand.met(append(slices.Clip(holders), ask.stated)) == nil
		if joins && !ask.admin {
			locked = append(locked, device)
		} else {
			others = append(others, device)
		}
	}
	return append(locked, others...)
}

// met verifies that all parties state values for the keys, and the same values.
func (d demand) met(parties []*statement) error {
	if d.err != nil {
		return d.err
	}
	for _, key := range d.keys {
		values := sets.New[string]()
		for _, s := range parties {
			value, found := s.text[key]
			if !found {
				return fmt.Errorf("somebody states no string for %s: %s", key, s.flaw)
			}
			values.Insert(value)
		}
		if values.Len() > 1 {
			return fmt.Errorf("%s is %v", key, sets.List(values))
		}
	}
	return nil
}

var keyForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z_][A-Za-z0-9_]*$`)

// demands returns what a slice declares for its devices in its annotation.
func (r *Rules) demands(slice *resourceapi.ResourceSlice) []demand {
	demands := make([]demand, len(slice.Spec.Devices))
	text, declares := slice.Annotations["draconform.dev/sharing-affinity"]
	if !r.problem.SharingAffinity || !declares {
		return demands
	}
	declared := map[string]struct {
		AttributeKeys []string `json:"attributeKeys"`
	}{}
	err := unmarshal(text, &declared)
	for device, declaration := range declared {
		unique := sets.New(declaration.AttributeKeys...)
		if n := len(declaration.AttributeKeys); n < 1 || n > 8 || unique.Len() != n {
			err = errors.Join(err, fmt.Errorf("device %s declares %d keys, %d different ones", device, n, unique.Len()))
		}
		for key := range unique {
			if !keyForm.MatchString(key) {
				err = errors.Join(err, fmt.Errorf("device %s declares the key %q", device, key))
			}
		}
	}
	for i := range demands {
		demands[i] = demand{keys: declared[slice.Spec.Devices[i].Name].AttributeKeys, err: err}
	}
	return demands
}

// statement is what a claim states about sharing affinity.
type statement struct {
	text map[string]string // The attributes that are strings.
	flaw string            // Why the statement as a whole is invalid.
}

// states returns what class and claim state for the ask.
func (a *Ask) states(claim *resourceapi.ResourceClaim) *statement {
	var configs []resourceapi.DeviceConfiguration
	if a.class != nil {
		for _, config := range a.class.Spec.Config {
			configs = append(configs, config.DeviceConfiguration)
		}
	}
	for _, config := range claim.Spec.Devices.Config {
		if len(config.Requests) == 0 || a.named(config.Requests) {
			configs = append(configs, config.DeviceConfiguration)
		}
	}
	return newStatement(configs)
}

// holders returns, for each device, what the claims that hold it state.
func holders(p *problem.Problem) map[structured.DeviceID][]*statement {
	holders := map[structured.DeviceID][]*statement{}
	for _, claim := range p.Allocated {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if ptr.Deref(result.AdminAccess, false) {
				continue
			}
			request, _, _ := strings.Cut(result.Request, "/")
			of := &Ask{name: result.Request, parent: request}
			var configs []resourceapi.DeviceConfiguration
			for _, config := range claim.Status.Allocation.Devices.Config {
				if len(config.Requests) == 0 || of.named(config.Requests) {
					configs = append(configs, config.DeviceConfiguration)
				}
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			holders[id] = append(holders[id], newStatement(configs))
		}
	}
	return holders
}

// newStatement returns the single StructuredParameters entry among opaque
// parameters. Parameters for its driver that cannot be parsed make the
// statement invalid, because they could be a second entry.
func newStatement(configs []resourceapi.DeviceConfiguration) *statement {
	s := &statement{flaw: "no entry, or no such string in it"}
	entries := 0
	for _, config := range configs {
		if config.Opaque == nil || config.Opaque.Driver != "resource.k8s.io" {
			continue
		}
		text := string(config.Opaque.Parameters.Raw)
		var fields map[string]any
		if err := json.UnmarshalCaseSensitivePreserveInts([]byte(text), &fields); err != nil {
			return &statement{flaw: err.Error()}
		}
		if fields["apiVersion"] != "resource.k8s.io/v1alpha1" || fields["kind"] != "StructuredParameters" {
			continue
		}
		var err error
		if s.text, err = entry(text); err != nil {
			return &statement{flaw: err.Error()}
		}
		if entries++; entries > 1 {
			return &statement{flaw: "two entries"}
		}
	}
	return s
}

// entry returns the attributes of an entry that are a string and nothing else.
func entry(parameters string) (map[string]string, error) {
	var read struct {
		APIVersion string                                 `json:"apiVersion"`
		Kind       string                                 `json:"kind"`
		Attributes map[string]resourceapi.DeviceAttribute `json:"attributes"`
	}
	if err := unmarshal(parameters, &read); err != nil {
		return nil, err
	}
	if len(read.Attributes) > 8 {
		return nil, fmt.Errorf("%d attributes", len(read.Attributes))
	}
	text := map[string]string{}
	for name, attribute := range read.Attributes {
		if value := attribute.StringValue; value != nil {
			if attribute.StringValue = nil; attribute.String() == (&resourceapi.DeviceAttribute{}).String() {
				text[name] = *value
			}
		}
	}
	return text, nil
}

// unmarshal parses JSON as strictly as an API server: field names are
// case-sensitive, and unknown or duplicate fields are errors.
func unmarshal(text string, into any) error {
	strict, err := json.UnmarshalStrict([]byte(text), into)
	return errors.Join(append(strict, err)...)
}
