// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/strictyaml"
)

// document is a description before compilation.
type document struct {
	DeviceMixins []mixin  `json:"deviceMixins"`
	Devices      []device `json:"devices"`
}

type mixin struct {
	strictyaml.Position
	Name      string      `json:"name"`
	Composite *properties `json:"composite"`
}

// properties are the fields that mixins and devices have in common.
type properties struct {
	Attributes strictyaml.Mapping[attribute] `json:"attributes"`
	Capacity   strictyaml.Mapping[capacity]  `json:"capacity"`
}

type device struct {
	strictyaml.Position
	Name      string           `json:"name"`
	Basic     *basicDevice     `json:"basic"`
	Composite *compositeDevice `json:"composite"`
}

type basicDevice struct {
	properties
	AllowMultipleAllocations *bool            `json:"allowMultipleAllocations"`
	SharingAffinity          *sharingAffinity `json:"sharingAffinity"`
}

type compositeDevice struct {
	basicDevice
	Includes             []reference `json:"includes"`
	ConsumesCapacityFrom []reference `json:"consumesCapacityFrom"`
}

// sharingAffinity declares the attributes for which claims that share a device
// must have the same values.
type sharingAffinity struct {
	strictyaml.Position
	affinity.Declaration
}

// reference names a mixin or a device of the same document.
type reference struct {
	strictyaml.Position
	Name string `json:"name"`
}

// attribute has exactly one field set.
type attribute struct {
	Int     *int64  `json:"int"`
	Bool    *bool   `json:"bool"`
	String  *string `json:"string"`
	Version *string `json:"version"`
}

// capacity has either Quantity, as the draft calls it, or Value, as v1 does.
type capacity struct {
	Quantity      *resource.Quantity                 `json:"quantity"`
	Value         *resource.Quantity                 `json:"value"`
	RequestPolicy *resourceapi.CapacityRequestPolicy `json:"requestPolicy"`
}

// parse decodes the single YAML document of a description. Unknown and
// duplicate fields are errors.
func parse(description []byte) (*document, error) {
	documents, err := strictyaml.Parse("", description)
	switch {
	case err != nil:
		return nil, fmt.Errorf("parse description: %w", err)
	case len(documents) == 0:
		return nil, errors.New("the description is empty")
	case len(documents) > 1:
		return nil, documents[1].Errorf("", "a second document begins, only one is allowed")
	}
	var doc document
	if err := documents[0].DecodeLenient(&doc); err != nil {
		return nil, err
	}
	return &doc, nil
}

// composite returns the properties of the device. A basic device is a composite
// device without includes and sources.
func (d *device) composite() (*compositeDevice, error) {
	switch {
	case d.Basic != nil && d.Composite != nil:
		return nil, errors.New("both basic and composite are set")
	case d.Basic != nil:
		return &compositeDevice{basicDevice: *d.Basic}, nil
	case d.Composite != nil:
		return d.Composite, nil
	default:
		return nil, errors.New("neither basic nor composite is set")
	}
}
