// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package specs has the specs of all profiles. Each profile has a folder, and
// each spec a file with the name of its ID.
package specs

import (
	"slices"

	"github.com/draconform/draconform/e2e/specs/adminaccess"
	"github.com/draconform/draconform/e2e/specs/api"
	"github.com/draconform/draconform/e2e/specs/attributes"
	"github.com/draconform/draconform/e2e/specs/bindingconditions"
	"github.com/draconform/draconform/e2e/specs/capacity"
	"github.com/draconform/draconform/e2e/specs/classic"
	"github.com/draconform/draconform/e2e/specs/devicetaints"
	"github.com/draconform/draconform/e2e/specs/driver"
	"github.com/draconform/draconform/e2e/specs/extendedresources"
	"github.com/draconform/draconform/e2e/specs/multihost"
	"github.com/draconform/draconform/e2e/specs/nodeallocatable"
	"github.com/draconform/draconform/e2e/specs/nodeoperations"
	"github.com/draconform/draconform/e2e/specs/nodeplugin"
	"github.com/draconform/draconform/e2e/specs/partitioning"
	"github.com/draconform/draconform/e2e/specs/poolstatus"
	"github.com/draconform/draconform/e2e/specs/prioritizedlist"
	"github.com/draconform/draconform/e2e/specs/scheduling"
	"github.com/draconform/draconform/e2e/specs/sharingaffinity"
	"github.com/draconform/draconform/e2e/specs/workloadclaims"
	"github.com/draconform/draconform/e2e/suite"
)

// All returns every spec in the order of execution.
func All() []suite.Spec {
	return slices.Concat(
		partitioning.Specs,
		multihost.Specs,
		prioritizedlist.Specs,
		sharingaffinity.Specs,
		capacity.Specs,
		devicetaints.Specs,
		attributes.Specs,
		poolstatus.Specs,
		nodeallocatable.Specs,
		nodeoperations.Specs,
		bindingconditions.Specs,
		api.Specs,
		adminaccess.Specs,
		extendedresources.Specs,
		scheduling.Specs,
		workloadclaims.Specs,
		classic.Specs,
		driver.Specs,
		nodeplugin.Specs,
	)
}
