// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package affinity implements a driver's side of the sharing affinity of
// KEP-5981, revision 44f990de4 (SA-1): how it publishes declarations, and which
// claims may share a device. How declarations and values are written is defined
// in package rules.
package affinity

import (
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/internal/rules"
)

// Names of the annotation of a slice and of the parameters of a claim.
const (
	Annotation      = rules.AffinityAnnotation
	EntryDriver     = rules.EntryDriver
	EntryAPIVersion = rules.EntryAPIVersion
	EntryKind       = rules.EntryKind
)

// Declaration lists the attributes for which claims that share a device must
// have the same values.
type Declaration = rules.AffinityDeclaration

// Annotate sets the annotation of a slice to the declarations of the devices in
// the slice. The declarations are given by device name and may include devices
// of other slices. Annotate reports whether it changed the slice.
func Annotate(slice *resourceapi.ResourceSlice, declared map[string]Declaration) (changed bool, err error) {
	own := map[string]Declaration{}
	for _, device := range slice.Spec.Devices {
		if declaration, ok := declared[device.Name]; ok {
			own[device.Name] = declaration
		}
	}
	before, had := slice.Annotations[Annotation]
	if len(own) == 0 {
		delete(slice.Annotations, Annotation)
		return had, nil
	}
	value, err := json.Marshal(own)
	if err != nil {
		return false, fmt.Errorf("encode annotation %s: %w", Annotation, err)
	}
	metav1.SetMetaDataAnnotation(&slice.ObjectMeta, Annotation, string(value))
	return before != string(value), nil
}
