// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// Servable lists the valid values of Options.Serve: versions of the DRA API that every supported release has but does
// not serve by default.
var Servable = staticpod.Servable

// CheckServed returns an error if one of the versions cannot be served in addition to the default versions. The error
// lists the valid ones.
func CheckServed(versions []string) error {
	for _, v := range versions {
		if !slices.Contains(Servable, v) {
			return fmt.Errorf("API version %q cannot be served, only %s: the others are served by default or with the feature gates that need them",
				v, strings.Join(Servable, " and "))
		}
	}
	return nil
}
