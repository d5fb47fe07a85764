// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/draconform/draconform/internal/fault"
)

// ignoreOlderUnprepare intercepts the calls of a driver. One with a fault answers those of
// the older service that unprepare claims, and does nothing.
func ignoreOlderUnprepare(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	older, ok := request.(*drapbv1beta1.NodeUnprepareResourcesRequest)
	if !ok || !fault.IgnoresOlderUnprepare {
		return handler(ctx, request)
	}
	answers := map[string]*drapbv1beta1.NodeUnprepareResourceResponse{}
	for _, claim := range older.Claims {
		answers[claim.Uid] = &drapbv1beta1.NodeUnprepareResourceResponse{}
	}
	return &drapbv1beta1.NodeUnprepareResourcesResponse{Claims: answers}, nil
}

// misdescribing returns the function by which a driver with a fault writes device metadata
// files, or nil. It also writes CDI specs, which it does not change.
func misdescribing() func(string, []byte, os.FileMode) error {
	if !fault.DescribesFirstDeviceOnly && !fault.DescribesClaimsByPodName {
		return nil
	}
	return func(path string, data []byte, mode os.FileMode) error {
		if filepath.Base(path) == "metadata.json" {
			var err error
			if data, err = misdescribed(data); err != nil {
				return err
			}
		}
		temporary := path + ".tmp"
		if err := os.WriteFile(temporary, data, mode); err != nil {
			return err
		}
		return os.Rename(temporary, path)
	}
}

// misdescribed returns the content of a device metadata file with the faults of a driver in
// each of its objects.
func misdescribed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	for decoder := json.NewDecoder(bytes.NewReader(data)); ; {
		var object map[string]any
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		} else if err != nil {
			return nil, fmt.Errorf("decode device metadata: %w", err)
		}
		misdescribe(object)
		if err := json.NewEncoder(&out).Encode(object); err != nil {
			return nil, fmt.Errorf("encode device metadata: %w", err)
		}
	}
}

func misdescribe(object map[string]any) {
	if name, ok := object["podClaimName"]; ok && fault.DescribesClaimsByPodName {
		object["metadata"].(map[string]any)["name"] = name
	}
	if !fault.DescribesFirstDeviceOnly {
		return
	}
	for _, request := range object["requests"].([]any) {
		of := request.(map[string]any)
		of["devices"] = of["devices"].([]any)[:1]
	}
}
