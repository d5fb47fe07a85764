// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"fmt"
	"io"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/json"

	"github.com/draconform/draconform/allocator/state"
)

// Read reads objects from YAML or JSON files and folders, as [state.Read] does.
// In addition it reads DaemonSets.
func Read(paths []string, stdin io.Reader) (Input, error) {
	objects, err := state.Read(paths, stdin)
	if err != nil {
		return Input{}, err
	}
	in := Input{Source: strings.Join(paths, ", "), Objects: objects}
	for _, other := range objects.Others {
		if other.Kind != "DaemonSet" || other.APIVersion != appsv1.SchemeGroupVersion.String() {
			continue
		}
		set := &appsv1.DaemonSet{}
		if err := json.UnmarshalCaseSensitivePreserveInts(other.JSON, set); err != nil {
			return Input{}, fmt.Errorf("%s: decode %s: %w", other.Origin, other.Kind, err)
		}
		in.DaemonSets = append(in.DaemonSets, set)
	}
	return in, nil
}
