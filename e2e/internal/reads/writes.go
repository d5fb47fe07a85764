// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package reads

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// isRepeatable reports whether a request is a write whose content can be sent again.
func isRepeatable(request *http.Request) bool {
	switch request.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return request.Header.Get("Upgrade") == "" && (request.Body == nil || request.Body == http.NoBody || request.GetBody != nil)
	}
	return false
}

// write sends a write and reads the answer if it is an error.
func (r repeater) write(request *http.Request) (*http.Response, error) {
	again := request
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, err
		}
		again = request.Clone(request.Context())
		again.Body = body
	}
	response, err := r.next.RoundTrip(again)
	if err != nil || response.StatusCode != http.StatusInternalServerError {
		return response, err
	}
	if err := readAll(response); err != nil {
		return nil, err
	}
	return response, nil
}

// unasked is a part of the API server's message about an object that it has not admitted,
// because a webhook did not answer. The webhook's pods may be restarted.
const unasked = "failed calling webhook"

// wasNotAdmitted reports whether the API server has answered that it has not performed a write
// because of that.
func wasNotAdmitted(response *http.Response, err error) bool {
	if err != nil || response.StatusCode != http.StatusInternalServerError || response.Header.Get("Retry-After") != "" {
		return false
	}
	content, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(content))
	return err == nil && strings.Contains(string(content), unasked)
}
