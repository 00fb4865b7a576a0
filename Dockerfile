# Octavo in an image without a shell, a package manager or root: `docker build -t octavo .` (docs/deploying.md).
#
# The tag names a point release of Debian; its digest can be put behind it (debian:13.6-slim@sha256:...).
ARG DEBIAN=debian:13.6-slim

# 1. Python packages, by the hashes of the lock file; and Octavo.
FROM ${DEBIAN} AS build
RUN apt-get update \
	&& DEBIAN_FRONTEND=noninteractive apt-get upgrade --yes \
	&& DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
		binutils ca-certificates media-types netbase python3 python3-venv tzdata
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python3 -m venv /opt/octavo
COPY requirements/image.txt /build/requirements/
RUN /opt/octavo/bin/pip install --no-compile --require-hashes --only-binary :all: --requirement /build/requirements/image.txt
# Packages of a project's own: plugins, what its code imports, the SDK of OpenTelemetry.
ARG MORE=""
RUN [ -z "$MORE" ] || /opt/octavo/bin/pip install --no-compile --only-binary :all: $MORE
COPY . /build/
RUN /opt/octavo/bin/pip install --no-compile --no-deps --no-build-isolation /build
# What only installing needs goes; so do symbols for debuggers, half of what compiled packages weigh, and what Amazon's
# client knows of services other than storage.
RUN set -eu; cd /opt/octavo; \
	bin/pip uninstall --yes setuptools pip; \
	rm -rf include bin/*activate* bin/Activate.ps1; \
	cd lib/python3*/site-packages; \
	find botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name sts ! -name sso ! -name sso-oidc -exec rm -rf {} +; \
	rm -rf apsw/sqlite_extra_binaries boto3/examples; \
	find . -name '*.so*' -type f -exec strip --strip-unneeded {} +; \
	find . -type d \( -name tests -o -name __pycache__ \) -prune -exec rm -rf {} +; \
	find . -type f \( -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.c' -o -name '*.h' \) -delete

# 2. The root of the image: these packages of Debian, their licences, and no others.
FROM build AS root
ARG PACKAGES="base-files ca-certificates libbz2-1.0 libc6 libexpat1 libffi8 libgcc-s1 liblzma5 libpython3-stdlib \
	libpython3.13-minimal libpython3.13-stdlib libssl3t64 libstdc++6 libuuid1 libzstd1 media-types netbase \
	openssl-provider-legacy python3 python3-minimal python3.13 python3.13-minimal tzdata zlib1g"
RUN set -eu; mkdir /root-fs; \
	dpkg -L $PACKAGES | sort -u | grep -Ev '^/(usr/share/(man|locale|lintian|python3|applications|pixmaps|ca-certificates|info|gdb|gcc|doc-base)|usr/share/doc/.*/(README|NEWS|changelog|FAQ)|usr/lib/python3\.?[0-9]*/(test|idlelib|turtledemo|ensurepip|lib2to3|tkinter|pydoc_data)|usr/bin/(py3|pdb|pygettext|pydoc)|etc/(update-motd.d|profile|skel)|usr/lib/[^/]*/gconv|usr/lib/[^/]*/lib(mvec|nsl|nss_compat|nss_hesiod|thread_db|memusage|pcprofile|c_malloc_debug|expatw)\.so|usr/lib/python3[^/]*/(unittest|turtle\.py|pydoc\.py|lib-dynload/_(test|xxtestfuzz|ctypes_test)))' > /files; \
	while read -r file; do if [ -e "$file" ] || [ -L "$file" ]; then echo "$file"; fi; done < /files \
		| tar --create --no-recursion --files-from - | tar --extract --directory /root-fs; \
	find /root-fs -name __pycache__ -type d -prune -exec rm -rf {} +; \
	mkdir -p /root-fs/etc/ssl/certs /root-fs/opt /root-fs/tmp /root-fs/project /root-fs/data; \
	cp /etc/ssl/certs/ca-certificates.crt /root-fs/etc/ssl/certs/; \
	cp -a /opt/octavo /root-fs/opt/octavo; \
	chmod 1777 /root-fs/tmp; chown 10001:10001 /root-fs/data; \
	echo 'root:x:0:0:root:/:/nowhere' > /root-fs/etc/passwd; \
	echo 'octavo:x:10001:10001:Octavo:/project:/nowhere' >> /root-fs/etc/passwd; \
	printf 'root:x:0:\noctavo:x:10001:\n' > /root-fs/etc/group; \
	echo 'hosts: files dns' > /root-fs/etc/nsswitch.conf; echo '127.0.0.1 localhost' > /root-fs/etc/hosts
# Compiled is what a start imports, no more; that it starts is seen before there is an image.
RUN set -eu; mkdir -p /root-fs/dev; mknod -m 666 /root-fs/dev/null c 1 3 2>/dev/null || touch /root-fs/dev/null; \
	for command in start develop ready; do chroot /root-fs /opt/octavo/bin/octavo $command --help >/dev/null; done; \
	chroot /root-fs /opt/octavo/bin/python -c 'import octavo.operations.runtime.server'; \
	chroot /root-fs /opt/octavo/bin/python -Bc 'import boto3, redis'; \
	rm -rf /root-fs/dev

# 3. The image.
FROM scratch
COPY --from=root /root-fs/ /
ENV PATH=/opt/octavo/bin:/usr/bin \
	LANG=C.UTF-8 \
	PYTHONDONTWRITEBYTECODE=1 \
	PYTHONUNBUFFERED=1 \
	OCTAVO_PROJECT=/project \
	HOST=0.0.0.0
WORKDIR /project
USER 10001:10001
EXPOSE 1337
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["octavo", "ready", "--alive"]
ENTRYPOINT ["octavo"]
CMD ["start"]
