// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/devicemetadata"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/workload/report"
)

// Metadata has the device metadata files of a driver that a container sees, by
// path (KEP-5304).
type Metadata map[string]MetadataFile

// Paths returns the paths of the files, sorted, so that the first wrong file is
// always the same one.
func (m Metadata) Paths() []string { return slices.Sorted(maps.Keys(m)) }

// MetadataFile is the text of a device metadata file: JSON objects with the same
// content in several API versions.
type MetadataFile string

// GetMetadata returns the device metadata files of a driver that a container of
// a pod sees. It waits until the container has reported them.
func GetMetadata(ctx context.Context, e *env.Env, pod, container, driver string) Metadata {
	ginkgo.GinkgoHelper()
	var found Metadata
	gomega.Eventually(ctx, func(ctx context.Context) error {
		log, err := GetLog(ctx, e, pod, container)
		if err != nil {
			return err
		}
		r, err := report.Read(log)
		if err != nil {
			return err
		}
		if why := r.Errors[report.FieldMetadata]; why != "" {
			return gomega.StopTrying(why)
		}
		found = Metadata{}
		for file, content := range r.Metadata {
			if path.Base(file) == metadata.MetadataFileName(driver) {
				found[file] = MetadataFile(content)
			}
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "container %s of pod %s should be able to read its device metadata files", container, pod)
	return found
}

// Decode returns the content of the file, in the first of its API versions that
// is known here.
func (f MetadataFile) Decode() (metadata.DeviceMetadata, error) {
	var content metadata.DeviceMetadata
	err := devicemetadata.DecodeMetadataFromStream(json.NewDecoder(strings.NewReader(string(f))), &content)
	return content, err
}

// Types returns the API versions and kinds of all objects in the file.
func (f MetadataFile) Types() ([]metav1.TypeMeta, error) {
	var all []metav1.TypeMeta
	decoder := json.NewDecoder(strings.NewReader(string(f)))
	for {
		var object metav1.TypeMeta
		switch err := decoder.Decode(&object); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, fmt.Errorf("decode object %d of a device metadata file: %w", len(all)+1, err)
		}
		all = append(all, object)
	}
}
