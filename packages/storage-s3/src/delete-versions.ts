import { DeleteObjectCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3'

/** One object by its full name. */
interface Place {
  readonly Bucket: string
  readonly Key: string
}

/**
 * Deletes what a bucket with versioning keeps of a deleted object: each version, and then the marks of its deletion. What somebody has written since stays.
 *
 * @param mark The version that stands for this deletion.
 * @throws an error that says which permissions are missing.
 */
export async function deleteVersions(client: S3Client, place: Place, mark: string | undefined): Promise<void> {
  try {
    const [versions, marks]: [string[], string[]] = [[], []]
    let next: { readonly KeyMarker?: string | undefined; readonly VersionIdMarker?: string | undefined } | undefined = {}
    while (next !== undefined) {
      const page: Page = await client.send(new ListObjectVersionsCommand({ Bucket: place.Bucket, Prefix: place.Key, ...next }))
      const own = ({ Key, VersionId, IsLatest }: Version): string[] =>
        Key === place.Key && VersionId !== undefined && (IsLatest !== true || VersionId === mark) ? [VersionId] : []
      versions.push(...(page.Versions ?? []).flatMap(own))
      marks.push(...(page.DeleteMarkers ?? []).flatMap(own))
      // Keys that begin with this one come behind it.
      const isMore = page.IsTruncated === true && page.NextKeyMarker === place.Key
      next = isMore ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : undefined
    }
    // The marks come last: without them the newest version would be there again.
    for (const VersionId of [...versions, ...marks]) await client.send(new DeleteObjectCommand({ ...place, VersionId }))
  } catch (error) {
    throw new Error(
      `the bucket ${JSON.stringify(place.Bucket)} keeps versions of what is deleted: allow s3:ListBucketVersions and s3:DeleteObjectVersion, or take a bucket without versioning`,
      { cause: error },
    )
  }
}

interface Version {
  readonly Key?: string | undefined
  readonly VersionId?: string | undefined
  readonly IsLatest?: boolean | undefined
}

interface Page {
  readonly Versions?: readonly Version[] | undefined
  readonly DeleteMarkers?: readonly Version[] | undefined
  readonly IsTruncated?: boolean | undefined
  readonly NextKeyMarker?: string | undefined
  readonly NextVersionIdMarker?: string | undefined
}
