// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package attributes has the specs of the profile attributes: attributes of
// devices with several values (KEP-5491), and attributes that a request derives
// from those of a device (KEP-6080).
package attributes

import (
	"embed"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "attributes"

// data contains devices with attributes, claims that compare them, and objects
// that an API server must accept or reject.
//
//go:embed data/*.yaml
var data embed.FS

// The features that the specs need.
var (
	listFeatures    = []features.Feature{features.Core, features.ListAttributes}
	derivedFeatures = []features.Feature{features.Core, features.DerivedAttributes}
)

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	attributeListsMatch,
	attributeListsAreDistinct,
	attributeListsAreSearched,
	attributeListsAreValidated,
	attributeListsAreNotStored,
	attributeDerivedIsMatched,
	attributeDerivedIsDistinct,
	attributeDerivedListsMatch,
	attributeDerivedListsAreDistinct,
	attributeDerivedIsOfItsRequest,
	attributeDerivedIsOfItsSubrequest,
	attributeDerivedGoesWithOthers,
	attributeDerivedIsValidated,
	attributeDerivedIsDropped,
}
